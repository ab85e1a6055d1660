import type { Command } from 'commander';
import { followEvents, teamEvents } from '../../app/look/events.js';
import { theWorld } from '../../app/services.js';
import { noteArchive } from '../archiveNote.js';
import { untilInterrupted } from '../interrupt.js';
import { createOutput } from '../output.js';
import { examples, oneTeam, type TeamOptions, wholeNumber, withJson, withTeam } from './shared.js';

type Event = Awaited<ReturnType<typeof teamEvents>>[number];

export function register(program: Command): void {
  withJson(withTeam(program.command('logs [team]')))
    .summary("show a team's event log")
    .description(
      "Show a team's event log. Each line begins with its cursor, for --since. Teams in the archive count too, by their name or their full one (name and time).",
    )
    .option('-f, --follow', 'go on with what happens')
    .option('--since <cursor>', 'only what came after it', wholeNumber, 0)
    .addHelpText('after', examples('troupe logs -f', 'troupe logs --json --since 40'))
    .action(
      async (
        name: string | undefined,
        { team, json, follow, since }: TeamOptions & { follow?: boolean; since: number },
      ) => {
        const output = createOutput({ json });
        await noteArchive(oneTeam(name, team));
        if (!follow) {
          const events = await teamEvents(theWorld(), oneTeam(name, team), since);
          output.data(events, events.map(eventLine).join('\n'));
          return;
        }
        await untilInterrupted(async (signal) => {
          for await (const event of followEvents(theWorld(), oneTeam(name, team), since, signal))
            output.item(event, eventLine(event));
        });
      },
    );
}

/** One line, whatever is in it: what members said begins no line that looks like an event. */
export function eventLine({ seq, at, type, member = '', ...fields }: Event): string {
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${inOneLine(value)}`);
  return [seq, at, type, member, ...rest].filter((part) => part !== '').join(' ');
}

function inOneLine(value: unknown): string {
  const isPlain = typeof value === 'string' && !/[\n\r\u2028\u2029]/.test(value);
  return isPlain ? value : JSON.stringify(value);
}
