import type { Command } from 'commander';
import { followEvents, teamEvents } from '../../app/look/events.js';
import { theWorld } from '../../app/services.js';
import { untilInterrupted } from '../interrupt.js';
import { createOutput } from '../output.js';
import { examples, oneTeam, type TeamOptions, wholeNumber, withJson, withTeam } from './shared.js';

type Event = Awaited<ReturnType<typeof teamEvents>>[number];

export function register(program: Command): void {
  withJson(withTeam(program.command('logs [team]')))
    .summary("show a team's event log")
    .description("Show a team's event log. Each line begins with its cursor, for --since.")
    .option('-f, --follow', 'go on with what happens')
    .option('--since <cursor>', 'only what came after it', wholeNumber, 0)
    .addHelpText('after', examples('troupe logs -f', 'troupe logs --json --since 40'))
    .action(
      async (
        name: string | undefined,
        { team, json, follow, since }: TeamOptions & { follow?: boolean; since: number },
      ) => {
        const output = createOutput({ json });
        if (!follow) {
          const events = await teamEvents(theWorld(), oneTeam(name, team), since);
          output.data(events, events.map(line).join('\n'));
          return;
        }
        await untilInterrupted(async (signal) => {
          for await (const event of followEvents(theWorld(), oneTeam(name, team), since, signal))
            output.item(event, line(event));
        });
      },
    );
}

function line({ seq, at, type, member = '', ...fields }: Event): string {
  const rest = Object.entries(fields).map(
    ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [seq, at, type, member, ...rest].filter((part) => part !== '').join(' ');
}
