import type { FirstAndLast } from '../firstAndLast.js';
import { type Html, html } from '../html.js';
import type { Story, StoryAgent, StoryMember, Talk, ToolCall } from '../story.js';
import { colorClass } from '../timeline/lanes.js';
import { duration, nameWords, several, textBlock, time } from '../words.js';

export function calls(story: Story): Html {
  return html`${story.members.map((member, index) => ofMember(story, member, index))}`;
}

function ofMember(story: Story, member: StoryMember, index: number): Html {
  const { name, talk, agents, agentsLeftOut } = member;
  return html`<section id="calls-${index}"><h3><span class="dot ${colorClass(member)}"></span>${nameWords(name)}</h3>
<details class="calls"><summary>${countWords(talk)}</summary>${list(story, talk.calls)}</details>
${agents.map((agent) => ofAgent(story, agent))}
${agentsLeftOut > 0 && html`<p class="cut">${several(agentsLeftOut, 'earlier sub-agent')} left out.</p>`}
</section>
`;
}

function ofAgent(
  story: Story,
  { name, agentType, description, model, status, startedAt, endedAt, talk }: StoryAgent,
): Html {
  const took = endedAt === undefined ? '' : ` in ${duration(endedAt - startedAt)}`;
  const { lastWords } = talk;
  return html`<details class="calls agent"><summary>Sub-agent ${name ?? description} <small>${agentType}, ${model}: ${status}${took}, ${countWords(talk)}</small></summary>
${name !== undefined && html`<p>${description}</p>`}${list(story, talk.calls)}${lastWords && html`<p>It ended with:</p>${textBlock(lastWords)}`}</details>
`;
}

function countWords({ calls: { first, leftOut, last }, failed }: Talk): string {
  const all = several(first.length + leftOut + last.length, 'tool call');
  return failed === 0 ? all : `${all}, ${failed} failed`;
}

function list(story: Story, { first, leftOut, last }: FirstAndLast<ToolCall>): Html {
  if (first.length === 0) return html`<p>None.</p>`;
  return html`<ol>${first.map((call) => entry(story, call))}${leftOut > 0 && html`<li class="gap">${several(leftOut, 'call')} in between left out.</li>`}${last.map((call) => entry(story, call))}</ol>`;
}

const OUTCOMES: Readonly<Record<ToolCall['outcome'], Html>> = {
  ok: html``,
  failed: html`<span class="status s-bad">failed</span>`,
  denied: html`<span class="status s-bad">denied</span>`,
  open: html`<span class="status s-pending">no result</span>`,
};

function entry(story: Story, { name, at, about, input, outcome, result, ms }: ToolCall): Html {
  return html`<li><details><summary>${time(at, story.startedAt)} <b>${name}</b> <code>${about}</code> ${OUTCOMES[outcome]} ${ms !== undefined && html`<small>${duration(ms)}</small>`}</summary><p>Input</p>${textBlock(input)}${result && html`<p>Result</p>${textBlock(result)}`}</details></li>
`;
}
