import type { Command } from 'commander';
import { followInbox, inbox } from '../../app/look/inbox.js';
import { theWorld } from '../../app/services.js';
import { noteArchive } from '../archiveNote.js';
import { untilInterrupted } from '../interrupt.js';
import { createOutput } from '../output.js';
import { type TeamOptions, withJson, withTeam } from './shared.js';

type Row = Awaited<ReturnType<typeof inbox>>[number];

export function register(program: Command): void {
  withJson(withTeam(program.command('inbox [member]')))
    .summary("show a member's messages")
    .description(
      "Show a member's messages, the lead's unless another is named. Looking marks nothing read. Teams in the archive count too, by their name or their full one (name and time).",
    )
    .option('--unread', 'only those that are not read')
    .option('-f, --follow', 'go on with what arrives')
    .action(
      async (
        member: string | undefined,
        { team, json, unread = false, follow }: TeamOptions & { unread?: boolean; follow?: boolean },
      ) => {
        const output = createOutput({ json });
        await noteArchive(team);
        const query = { team, member, unread };
        if (!follow) {
          const messages = await inbox(theWorld(), query);
          output.data(messages, messages.map(line).join('\n'));
          return;
        }
        await untilInterrupted(async (signal) => {
          for await (const message of followInbox(theWorld(), query, signal)) output.item(message, line(message));
        });
      },
    );
}

function line({ timestamp, from, type, read, text, msg_id }: Row): string {
  return `${read ? ' ' : '*'} ${timestamp} ${from}${type === 'message' ? '' : ` (${type})`} ${msg_id}\n${text.replace(/^/gm, '    ')}`;
}
