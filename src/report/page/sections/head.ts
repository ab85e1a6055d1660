import { type Html, html } from '../html.js';
import { totalSpent } from '../spent.js';
import type { Story } from '../story.js';
import { count, duration, fullTime, money, percent, textBlock, tokensOf } from '../words.js';

/** Whose run it was, how it stands and what it took. */
export function head(story: Story): Html {
  const { team, state, template, description, startedAt, endedAt, members, archive } = story;
  const { spent, cacheShare } = totalSpent(members.map(({ models }) => models));
  const lead = members[0];
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['State', state],
    ['Template', template],
    ['Started', fullTime(startedAt)],
    [state === 'running' || state === 'starting' ? 'So far' : 'Took', duration(endedAt - startedAt)],
    ['Members', count(members.length)],
    ['Turns', count(members.reduce((sum, { turns }) => sum + turns, 0))],
    ['Tokens', count(tokensOf(spent))],
    ['From the cache', percent(cacheShare)],
    ['Cost', money(spent.costUsd)],
    ['Exit of the lead', exitWords(lead?.exit)],
    ['Archived in', archive],
  ];
  return html`<header>
<h1>${team}</h1>
${description !== undefined && description !== '' && html`<p>${description}</p>`}
<p class="warning">This page holds what the members of the team have seen, written and run: files, output of commands, messages. Secrets may be among it. Look through it before you pass it on.</p>
<dl class="facts">${facts.map(([name, value]) => value !== undefined && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>`;
}

/** How a process ended; nothing while it runs. */
export function exitWords(exit: Story['members'][number]['exit']): string | undefined {
  if (!exit) return undefined;
  if (exit.signal !== null) return exit.signal;
  return exit.code === null ? 'unknown' : `${exit.code}${exit.forced ? ', forced' : ''}`;
}

export function result({ result: words }: Story): Html | undefined {
  return words && textBlock(words);
}

/** What is not on the page, and why. */
export function missing({ missing: sentences }: Story): Html {
  return html`<ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
}
