import { isSameName } from '../../../util/names.js';
import { type Html, html } from '../html.js';
import type { Story, StoryMessage } from '../story.js';
import { count, nameWords, several, textBlock, time } from '../words.js';
import { person } from './members.js';

/** A text longer than this is folded up. */
const SHORT = 600;

export function messages(story: Story): Html {
  const { first, leftOut, last } = story.messages;
  const gap = leftOut > 0 && html`<li class="gap">${several(leftOut, 'message')} in between left out.</li>`;
  const notices = [...first, ...last].filter(({ kind }) => kind === 'notice').length;
  return html`<form id="filter" hidden>
<label>Of or to <select id="who"><option value="">everybody</option>${story.members.map(({ name }, index) => html`<option value="${index}">${nameWords(name)}</option>`)}<option value="u">you</option></select></label>
<label><input type="checkbox" id="notices"> the harness's own too (${count(notices)})</label>
<output id="shown"></output>
</form>
<ol class="mail" id="mail">${first.map((one) => entry(story, one))}${gap}${last.map((one) => entry(story, one))}</ol>`;
}

function entry(story: Story, message: StoryMessage): Html {
  const { at, from, to, toAll, kind, type, summary, text } = message;
  const what = kind === 'message' ? '' : kind === 'report' ? 'report' : type.replaceAll('_', ' ');
  const people = [from, ...to].map((name) => indexOf(story, name)).join(' ');
  const heads = html`${person(story, from)} <span class="to">to</span> ${toAll ? html`all (${to.length})` : to.map((name) => person(story, name))}`;
  const body =
    text.text.length > SHORT
      ? html`<details><summary>${summary ?? `${text.text.slice(0, 160).toWellFormed()}\u2026`}</summary>${textBlock(text)}</details>`
      : html`${summary !== undefined && html`<p class="summary">${summary}</p>`}<p class="said">${text.text}</p>`;
  return html`<li class="k-${kind}" data-who="${people}" data-kind="${kind}"><p class="heads">${heads} ${time(at, story.startedAt)} ${what !== '' && html`<span class="kind">${what}</span>`}</p>${body}</li>
`;
}

/** What the filter knows a person by: a number, never a name. */
function indexOf({ members }: Story, name: string): string {
  const index = members.findIndex((member) => isSameName(member.name, name));
  if (index >= 0) return String(index);
  return name === 'user' ? 'u' : 'x';
}
