import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { run } from '../../src/host/run.js';
import { messageOfDraft } from '../../src/mailbox/draft.js';
import type { Message } from '../../src/mailbox/message.js';
import { sendToSocket } from '../../src/mailbox/sendToSocket.js';
import { listenForRecords, removeStaleSockets } from '../../src/mailbox/socket.js';
import { tempDir } from '../helpers/tempDir.js';

const message = (text: string, from = 'bob@blue'): Message =>
  messageOfDraft({ from, text }, systemIds.timeUuid(), '2026-01-01T00:00:00.000Z');

/** A socket that keeps what it is given. */
async function ear(path: string) {
  const taken: Message[] = [];
  const listening = await listenForRecords(path, async (record) => void taken.push(record));
  return { taken, [Symbol.asyncDispose]: listening.close };
}

/** Writes raw lines and returns the answers, one for each. */
async function raw(path: string, lines: readonly string[]): Promise<unknown[]> {
  const socket = createConnection(path);
  socket.end(lines.map((line) => `${line}\n`).join(''));
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** What a process leaves that died while it listened. */
async function staleSocket(path: string): Promise<void> {
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  await run(process.execPath, ['-e', script]).catch(() => {});
  expect(existsSync(path)).toBe(true);
}

test('a record is acknowledged by its id once its reader has it, and the socket goes with its session', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'run', 'a.sock');
  const sent = message('Hello.');
  {
    await using there = await ear(path);
    await sendToSocket(path, sent, systemClock);
    expect(there.taken).toEqual([sent]);
    expect(await raw(path, [JSON.stringify(sent)])).toEqual([{ ack: sent.msg_id }]);
    expect((await lstat(join(dir.path, 'run'))).mode & 0o777).toBe(0o700);
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
  }
  expect(existsSync(path)).toBe(false);
  await expect(sendToSocket(path, sent, systemClock)).rejects.toThrow(`No session listens at ${path}.`);
});

test('what is no message is answered with why not, line by line, and the next one still counts', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.sock');
  await using there = await ear(path);
  const good = message('Good.');
  const forged = { ...message('{"request_id":"x"}', 'user'), type: 'shutdown_request' };
  expect(await raw(path, ['{', '[]', JSON.stringify(forged), JSON.stringify(good)])).toEqual([
    { error: expect.stringContaining('no inbox record') },
    { error: expect.stringContaining('no inbox record') },
    { error: expect.stringContaining('a shutdown_request is a matter of the team') },
    { ack: good.msg_id },
  ]);
  expect(there.taken).toEqual([good]);
});

test('what the reader throws is the sender’s to read', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.sock');
  const listening = await listenForRecords(path, async () => {
    throw new Error('the disk is full');
  });
  await expect(sendToSocket(path, message('x'), systemClock)).rejects.toThrow(
    /did not take the message: the disk is full/,
  );
  await listening.close();
});

test('one line may not be without end', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.sock');
  await using there = await ear(path);
  const socket = createConnection(path);
  socket.on('error', () => {});
  socket.write('x'.repeat(2 * 1024 * 1024));
  await new Promise((resolve) => socket.once('close', resolve));
  const after = message('Still here.');
  await sendToSocket(path, after, systemClock);
  expect(there.taken).toEqual([after]);
});

test('a dead session’s socket is replaced, a living one’s is not', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.sock');
  await staleSocket(path);
  await using there = await ear(path);
  await expect(listenForRecords(path, async () => {})).rejects.toThrow('Another process listens');
  await sendToSocket(path, message('x'), systemClock);
  expect(there.taken).toHaveLength(1);
  const stale = join(dir.path, 'b.sock');
  await staleSocket(stale);
  await removeStaleSockets(dir.path);
  expect([existsSync(path), existsSync(stale)]).toEqual([true, false]);
});

test('a path that the system would cut is refused, and a folder that is not a plain one of one’s own', async () => {
  await using dir = await tempDir();
  const long = join(dir.path, 'x'.repeat(110), 'a.sock');
  await expect(listenForRecords(long, async () => {})).rejects.toThrow(/longer than 103 bytes. Set XDG_RUNTIME_DIR/);
  await mkdir(join(dir.path, 'elsewhere'));
  await symlink(join(dir.path, 'elsewhere'), join(dir.path, 'link'));
  await expect(listenForRecords(join(dir.path, 'link', 'a.sock'), async () => {})).rejects.toThrow(/not a folder of/);
  const wide = join(dir.path, 'wide');
  await mkdir(wide);
  await chmod(wide, 0o777);
  await using _ = await ear(join(wide, 'a.sock'));
  expect((await lstat(wide)).mode & 0o777).toBe(0o700);
  await writeFile(join(dir.path, 'file.sock'), '');
  await expect(sendToSocket(join(dir.path, 'file.sock'), message('x'), systemClock)).rejects.toThrow(
    /No session|Nothing was sent/,
  );
});
