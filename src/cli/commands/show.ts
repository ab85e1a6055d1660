import type { Command } from 'commander';
import { hidePanes } from '../../app/members/hidePanes.js';
import { theWorld } from '../../app/services.js';
import { createOutput } from '../output.js';
import { examples, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('show [member...]')))
    .summary("bring members' panes back")
    .description(
      'Bring panes that were put away back beside the others; where there is no room for one, it keeps its window.',
    )
    .option('--all', 'every teammate that was put away')
    .addHelpText('after', examples('troupe show reviewer', 'troupe show --all'))
    .action(async (members: string[], { team, json, all = false }: TeamOptions & { all?: boolean }) => {
      const moved = await hidePanes(theWorld(), { command: 'show', team, members, all });
      const words = moved.map(
        ({ name, hidden, before }) => `${name} ${hidden === before ? 'was shown already' : 'is shown'}`,
      );
      createOutput({ json }).data(moved, words.join('\n') || 'No teammate was put away.');
    });
}
