import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { hasCode, messageOf, UserError } from '../util/errors.js';
import { type Message, messageFrom } from './message.js';
import { type Answer, jsonOf, linesOf } from './socketLines.js';

/** Bytes that a socket's path may have: the smaller of what Linux (108) and macOS (104) take, with its end. Node cuts longer ones in silence. */
const MAX_PATH = 103;

export interface Listening {
  readonly path: string;
  /** Takes nothing more, and removes the socket. */
  close(): Promise<void>;
}

/**
 * Takes inbox records at a Unix socket, one a line, and answers each with `{"ack": msg_id}` or `{"error": why}`. Its
 * folder is made, for this user alone; a socket that a dead process left is replaced.
 * @param receive has the message on disk when it resolves; what it throws is the sender's to read.
 * @throws UserError for a path that is too long, a folder of somebody else's, a socket that is in use.
 */
export async function listenForRecords(path: string, receive: (message: Message) => Promise<void>): Promise<Listening> {
  if (Buffer.byteLength(path) > MAX_PATH)
    throw new UserError(
      `The socket path ${path} is longer than ${MAX_PATH} bytes. Set XDG_RUNTIME_DIR to a shorter folder.`,
    );
  await ownFolder(dirname(path));
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.unref();
    answerLines(socket, receive).catch(() => socket.destroy());
  });
  // A session ends when its work does, not when nobody can write to it any more.
  server.unref();
  try {
    await listen(server, path);
  } catch (error) {
    if (!hasCode(error, 'EADDRINUSE')) throw error;
    if (await isListening(path)) throw new UserError(`Another process listens at ${path} already.`);
    await rm(path, { force: true });
    await listen(server, path);
  }
  await chmod(path, 0o600);
  return {
    path,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Removes the sockets that dead processes left in `folder`. */
export async function removeStaleSockets(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((name) => name.endsWith('.sock'))) {
    const path = join(folder, name);
    if (!(await isListening(path))) await rm(path, { force: true });
  }
}

async function ownFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const facts = await lstat(path);
  if (!facts.isDirectory() || facts.uid !== process.getuid?.())
    throw new UserError(`${path} is not a folder of this user's own: no socket is made there.`);
  if ((facts.mode & 0o077) !== 0) await chmod(path, 0o700);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // Full, or not ours to ask: somebody is there.
    socket.once('error', (error) => resolve(!hasCode(error, 'ECONNREFUSED', 'ENOENT', 'ENOTSOCK')));
  });
}

async function answerLines(socket: Socket, receive: (message: Message) => Promise<void>): Promise<void> {
  for await (const line of linesOf(socket)) socket.write(`${JSON.stringify(await answerTo(line, receive))}\n`);
  socket.end();
}

async function answerTo(line: string, receive: (message: Message) => Promise<void>): Promise<Answer> {
  const message = messageFrom(jsonOf(line));
  if (!message) return { error: 'that is no inbox record: a JSON object with "from" and "text" is' };
  if (message.type !== 'message')
    return { error: `a ${message.type} is a matter of the team: a socket takes messages only` };
  try {
    await receive(message);
    return { ack: message.msg_id };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
