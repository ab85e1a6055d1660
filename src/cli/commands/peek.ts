import type { Command } from 'commander';
import { followPeek, peek } from '../../app/look/look.js';
import { theWorld } from '../../app/services.js';
import { noteArchive } from '../archiveNote.js';
import { untilInterrupted } from '../interrupt.js';
import { createOutput } from '../output.js';
import { examples, positiveInteger, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('peek <member>')))
    .summary('show the last lines of a member')
    .description(
      "Show the last lines of a member's pane, or of its transcript where it has no pane. Teams in the archive count too, by their name or their full one (name and time).",
    )
    .option('-n, --lines <n>', 'how many', positiveInteger, 40)
    .option('-f, --follow', 'go on with what it does')
    .addHelpText('after', examples('troupe peek implementer -n 100', 'troupe peek implementer -f'))
    .action(
      async (member: string, { team, json, lines, follow }: TeamOptions & { lines: number; follow?: boolean }) => {
        const output = createOutput({ json });
        await noteArchive(team);
        if (!follow) {
          const shown = await peek(theWorld(), team, member, lines);
          output.data(shown, shown.join('\n'));
          return;
        }
        await untilInterrupted(async (signal) => {
          for await (const line of followPeek(theWorld(), team, member, lines, signal)) output.item({ line }, line);
        });
      },
    );
}
