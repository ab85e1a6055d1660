import type { Command } from 'commander';
import { send } from '../../app/look/send.js';
import { theWorld } from '../../app/services.js';
import { createOutput, note, readStdin } from '../output.js';
import { examples, type TeamOptions, withJson, withTeam } from './shared.js';

interface SendOptions extends TeamOptions {
  readonly summary?: string;
  readonly replyTo?: string;
}

export function register(program: Command): void {
  withJson(withTeam(program.command('send <to> [text...]')))
    .summary('send a message to a member, to the lead or to all (*)')
    .description(
      'Send a message to a member, to "lead" or to everybody ("*"), or to any session on this machine by its socket (uds:PATH, see "troupe status --json"). "-" as the text reads it from standard input.',
    )
    .option('--summary <text>', '5-10 words')
    .option('--reply-to <id>', 'the message that this answers')
    .addHelpText(
      'after',
      examples(
        'troupe send reviewer "Look at the error paths too"',
        'troupe send lead "Stop at the first finding" --summary "stop early"',
        'troupe send "*" - < notes.md',
        'troupe send uds:/run/user/1000/troupe/0d5e1f.sock "The other team has merged"',
      ),
    )
    .action(async (to: string, words: string[], { team, json, summary, replyTo }: SendOptions) => {
      const text = words.length === 1 && words[0] === '-' ? await readStdin() : words.join(' ');
      const { msg_id, delivered, failed } = await send(theWorld(), team, { to, text, summary, inReplyTo: replyTo });
      createOutput({ json }).data({ msg_id }, msg_id);
      for (const { name, alive, ahead } of delivered) {
        if (!alive) note(`${name} is not running: it reads this when it is started again.`);
        else if (ahead > 0) note(`${name} has ${ahead} unread before this one.`);
      }
      for (const { name, because } of failed) note(`Not delivered to ${name}: ${because}`);
    });
}
