import type { Command } from 'commander';
import { hidePanes } from '../../app/members/hidePanes.js';
import { theWorld } from '../../app/services.js';
import { createOutput } from '../output.js';
import { examples, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('hide [member...]')))
    .summary("put members' panes away")
    .description(
      'Put the panes of members away, each into a tmux window of its own behind the others. They go on working, and stay away when they are restarted or the team is resumed, until they are shown.',
    )
    .option('--all', 'every teammate')
    .addHelpText('after', examples('troupe hide reviewer', 'troupe hide --all'))
    .action(async (members: string[], { team, json, all = false }: TeamOptions & { all?: boolean }) => {
      const moved = await hidePanes(theWorld(), { command: 'hide', team, members, all });
      const words = moved.map(
        ({ name, hidden, before }) => `${name} ${hidden === before ? 'was put away already' : 'is put away'}`,
      );
      createOutput({ json }).data(moved, words.join('\n') || 'No teammate has a pane.');
    });
}
