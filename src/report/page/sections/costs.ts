import type { Spent } from '../../../model/usage.js';
import { type Html, html } from '../html.js';
import { byModel, totalOf, totalSpent } from '../spent.js';
import type { Story } from '../story.js';
import { count, money, percent } from '../words.js';
import { person } from './members.js';

export function costs(story: Story): Html {
  const all = story.members.map(({ models }) => models);
  const models = byModel(all);
  return html`<div class="wide" tabindex="0" role="group" aria-label="Costs by member"><table>
<caption>By member, sub-agents included</caption>${columns('Member')}
<tbody>${story.members.flatMap(({ name, models: own }) =>
    byModel([own]).map(([model, spent], index) => row(index === 0 ? person(story, name) : html``, model, spent)),
  )}</tbody>
<tfoot>${row(html`Total`, '', totalSpent(all).spent)}</tfoot></table></div>
${
  models.length > 1 &&
  html`<div class="wide" tabindex="0" role="group" aria-label="Costs by model"><table>
<caption>By model</caption>${columns()}
<tbody>${models.map(([model, spent]) => row(undefined, model, spent))}</tbody></table></div>`
}`;
}

function columns(first?: string): Html {
  return html`<thead><tr>${first !== undefined && html`<th scope="col">${first}</th>`}<th scope="col">Model</th>${['Input', 'Cache written', 'Cache read', 'Output', 'Cached', 'Cost'].map((name) => html`<th scope="col" class="n">${name}</th>`)}</tr></thead>`;
}

function row(first: Html | undefined, model: string, spent: Spent): Html {
  const { input, cacheWrite, cacheRead, output, costUsd } = spent;
  const cells = [
    ...[input, cacheWrite, cacheRead, output].map(count),
    percent(totalOf([spent]).cacheShare),
    money(costUsd),
  ];
  return html`<tr>${first ? html`<th scope="row">${first}</th><td>${model}</td>` : html`<th scope="row">${model}</th>`}${cells.map((cell) => html`<td class="n">${cell}</td>`)}</tr>
`;
}
