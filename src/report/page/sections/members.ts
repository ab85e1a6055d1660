import { type Html, html } from '../html.js';
import { totalSpent } from '../spent.js';
import type { Story, StoryMember } from '../story.js';
import { colorClass } from '../timeline/lanes.js';
import { count, money, nameWords, textBlock, tokensOf } from '../words.js';
import { exitWords } from './head.js';

export function members({ members: all }: Story): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Members"><table>
<thead><tr><th scope="col">Member</th><th scope="col">State</th><th scope="col">Model</th><th scope="col">Mode</th><th scope="col" class="n">Turns</th><th scope="col" class="n">Tokens</th><th scope="col" class="n">Cost</th><th scope="col">Worktree</th></tr></thead>
${all.map(row)}</table></div>`;
}

function row(member: StoryMember, index: number): Html {
  const { name, agentType, model, mode, turns, models, worktree, lastReport } = member;
  const { spent } = totalSpent([models]);
  return html`<tbody><tr><th scope="row"><a href="#calls-${index}"><span class="dot ${colorClass(member)}"></span>${nameWords(name)}</a>${agentType !== undefined && html`<br><small>${agentType}</small>`}</th><td>${stateWords(member)}</td><td>${model}</td><td>${mode}</td><td class="n">${count(turns)}</td><td class="n">${count(tokensOf(spent))}</td><td class="n">${money(spent.costUsd)}</td><td>${worktree && html`<code>${worktree.branch ?? ''}</code> <small>${worktree.path}${worktree.isGone && ' (removed)'}</small>`}</td></tr>
${lastReport && html`<tr class="below"><td colspan="8"><details><summary>Last report</summary>${textBlock(lastReport)}</details></td></tr>`}</tbody>
`;
}

function stateWords({ state, waitingFor, activity, exit }: StoryMember): Html {
  const more = [
    waitingFor === undefined ? undefined : `waits for a ${waitingFor}`,
    activity,
    exit && exit.code !== 0 ? exitWords(exit) : undefined,
  ].filter((words) => words !== undefined);
  return html`${state}${more.length > 0 && html`<br><small>${more.join(', ')}</small>`}`;
}

/** A member's name in its colour. */
export function person(story: Story, name: string): Html {
  const member = story.members.find((candidate) => candidate.name === name);
  return html`<span class="who"><span class="dot ${colorClass(member ?? {})}"></span>${nameWords(name)}</span>`;
}
