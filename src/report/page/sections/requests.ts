import { type Html, html } from '../html.js';
import type { Story, StoryDenial, StoryRequest } from '../story.js';
import { duration, nameWords, several, textBlock, time } from '../words.js';
import { person } from './members.js';

export function plans(story: Story): Html {
  return html`${plansOf(story).map(
    (plan) => html`<article class="plan"><h3>Plan of ${person(story, plan.from)}, ${time(plan.at, story.startedAt)}</h3>
<p>${decision(story, plan, 'approved', 'rejected')}</p>
<details open><summary>The plan</summary>${textBlock(plan.text)}</details></article>
`,
  )}`;
}

export function plansOf({ requests }: Story): readonly StoryRequest[] {
  return requests.filter(({ kind }) => kind === 'plan');
}

function permissionsOf({ requests }: Story): readonly StoryRequest[] {
  return requests.filter(({ kind }) => kind === 'permission');
}

/** Whether there is anything to say about permissions. */
export function hasPermissions(story: Story): boolean {
  return permissionsOf(story).length > 0 || story.denials.first.length > 0;
}

export function permissions(story: Story): Html {
  return html`${permissionsOf(story).length > 0 && asked(story)}${story.denials.first.length > 0 && denied(story)}`;
}

function denied(story: Story): Html {
  const { first, leftOut, last } = story.denials;
  const row = ({ at, member, tool, about, because }: StoryDenial) =>
    html`<tr><td>${time(at, story.startedAt)}</td><td>${person(story, member)}</td><td>${tool}</td><td><code>${about}</code></td><td>${because}</td></tr>
`;
  return html`<div class="wide" tabindex="0" role="group" aria-label="Denied calls"><table><caption>Calls that were denied, by a rule, a mode, a hook or a person</caption>
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Tool</th><th scope="col">What</th><th scope="col">Why</th></tr></thead>
<tbody>${first.map(row)}${leftOut > 0 && html`<tr><td colspan="5" class="gap">${several(leftOut, 'call')} in between left out.</td></tr>`}${last.map(row)}</tbody></table></div>`;
}

function asked(story: Story): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Permission requests"><table><caption>What was asked for</caption>
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Tool</th><th scope="col">For what</th><th scope="col">Decision</th></tr></thead>
<tbody>${permissionsOf(story).map(
    (request) =>
      html`<tr><td>${time(request.at, story.startedAt)}</td><td>${person(story, request.from)}</td><td>${request.tool}</td><td>${textBlock(request.text)}</td><td>${decision(story, request, 'allowed', 'denied')}</td></tr>
`,
  )}</tbody></table></div>`;
}

function decision(story: Story, { at, answer }: StoryRequest, yes: string, no: string): Html {
  if (!answer) return html`<span class="status s-pending">not decided</span>`;
  const { approve, by, words, rules } = answer;
  return html`<span class="status ${approve ? 's-completed' : 's-bad'}">${approve ? yes : no}</span> by ${nameWords(by)}, ${time(answer.at, story.startedAt)}, after ${duration(Math.max(0, answer.at - at))}${words !== undefined && html`: <q>${words}</q>`}${rules.length > 0 && html`. For the whole team from then on: <code>${rules.join(', ')}</code>`}`;
}
