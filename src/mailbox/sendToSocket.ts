import { createConnection } from 'node:net';
import { type Clock, within } from '../host/clock.js';
import { hasCode, messageOf, UserError } from '../util/errors.js';
import type { Message } from './message.js';
import { Answer, jsonOf, linesOf } from './socketLines.js';

const ANSWER_MS = 5000;

/** Hands one record to the session at `path`. On its disk when this returns. @throws UserError where nobody takes it. */
export async function sendToSocket(path: string, record: Message, clock: Clock): Promise<void> {
  const answer = await within(clock, ANSWER_MS, (late) => exchange(path, record, late)).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ECONNREFUSED', 'ENOTSOCK'))
      throw new UserError(`No session listens at ${path}. "troupe status --json" names the sockets of a team.`, 1, {
        cause: error,
      });
    throw new UserError(`Nothing was sent to ${path}: ${messageOf(error)}`, 1, { cause: error });
  });
  if (answer === undefined)
    throw new UserError(`The session at ${path} did not acknowledge the message in time: it may have it or not.`, 1);
  if ('error' in answer) throw new UserError(`The session at ${path} did not take the message: ${answer.error}`, 1);
  if (answer.ack !== record.msg_id)
    throw new UserError(`The session at ${path} acknowledged another message, ${answer.ack}.`, 1);
}

async function exchange(path: string, record: Message, signal: AbortSignal): Promise<Answer | undefined> {
  const socket = createConnection(path);
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    socket.write(`${JSON.stringify(record)}\n`);
    for await (const line of linesOf(socket)) return Answer.parse(jsonOf(line));
    throw new Error('it hung up without an answer');
  } finally {
    socket.destroy();
  }
}
