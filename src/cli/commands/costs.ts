import type { Command } from 'commander';
import { type Cost, costsOf, type TeamCosts } from '../../app/look/costs.js';
import { theWorld } from '../../app/services.js';
import { noteArchive } from '../archiveNote.js';
import { createOutput, table } from '../output.js';
import { examples, oneTeam, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('costs [team]')))
    .summary('show tokens and money by member and model')
    .description(
      'Show what a team has used by member and model: tokens, the part of what went in that the prompt cache had, and money. Sub-agents count with their member. Teams in the archive count too, by their name or their full one (name and time).',
    )
    .addHelpText('after', examples('troupe costs', 'troupe costs feature --json'))
    .action(async (name: string | undefined, { team, json }: TeamOptions) => {
      await noteArchive(oneTeam(name, team));
      const costs = await costsOf(theWorld(), oneTeam(name, team));
      createOutput({ json }).data(costs, await textOf(costs));
    });
}

async function textOf({ members, models, total }: TeamCosts): Promise<string> {
  const head = ['member', 'model', 'input', 'cache written', 'cache read', 'output', 'cached', 'cost'];
  const rows = [
    ...members.flatMap(({ name, models, ...own }) =>
      models.length === 0
        ? [row(name, '-', own)]
        : models.map((cost, index) => row(index === 0 ? name : '', cost.model, cost)),
    ),
    ...(models.length > 1 ? models.map((cost, index) => row(index === 0 ? 'all' : '', cost.model, cost)) : []),
    row('total', '', total),
  ];
  const searches = total.webSearches === 0 ? '' : `\n${total.webSearches} web searches`;
  return `${await table([head, ...rows])}${searches}`;
}

function row(name: string, model: string, { tokens, cacheShare, costUsd }: Cost): string[] {
  const { input, cacheWrite, cacheRead, output } = tokens;
  const share = cacheShare === null ? '-' : `${Math.round(cacheShare * 100)} %`;
  return [name, model, ...[input, cacheWrite, cacheRead, output].map(String), share, `$${costUsd.toFixed(4)}`];
}
