import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEventLog } from '../../src/team/eventLog.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';

test('events are numbered over all writers, and read from where one stopped', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'events.jsonl');
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      openEventLog(path, fakeClock()).append('spawned', { member: `m${n}`, pane: '%1' }),
    ),
  );
  const log = openEventLog(path, fakeClock());
  expect((await log.read()).map(({ seq }) => seq)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  await log.append('idle');
  expect(await log.read(12)).toEqual([{ seq: 13, at: '2026-01-01T00:00:00.000Z', type: 'idle' }]);
  expect(await readdir(dir.path)).toEqual(['events.jsonl']);
});

test('the whole log has what this process has begun to append, and there is one where no lock can be had', async () => {
  await using dir = await tempDir();
  const log = openEventLog(join(dir.path, 'events.jsonl'), fakeClock());
  const appending = ['ready', 'tool_denied'].map((type) => log.append(type));
  expect((await log.readWhole()).map(({ type }) => type)).toEqual(['ready', 'tool_denied']);
  await Promise.all(appending);
  expect(await openEventLog(join(dir.path, 'gone', 'events.jsonl'), fakeClock()).readWhole()).toEqual([]);
});

test('a line torn by a crash is cut off and spoils neither the numbers nor the next line', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'events.jsonl');
  const log = openEventLog(path, fakeClock());
  await log.append('ready');
  await appendFile(path, '{"seq":2,"at":"2026-');
  await log.append('idle');
  expect((await log.read()).map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'ready'],
    [2, 'idle'],
  ]);
});

test('a late event does not bring an archived team back', async () => {
  await using dir = await tempDir();
  const log = openEventLog(join(dir.path, 'gone', 'events.jsonl'), fakeClock());
  await expect(log.append('idle')).rejects.toThrow(/ENOENT/);
  expect(await log.read()).toEqual([]);
  expect(await readdir(dir.path)).toEqual([]);
});

test('a follower gives each event once, whole lines only, and begins again where the log has become shorter', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'events.jsonl');
  const log = openEventLog(path, fakeClock());
  const next = log.follow(1);
  const types = async () => (await next()).map(({ type }) => type);
  expect(await types()).toEqual([]);
  for (const type of ['ready', 'idle', 'größe']) await log.append(type);
  expect(await types()).toEqual(['idle', 'größe']);
  expect(await types()).toEqual([]);
  await appendFile(path, '{"seq":4,"at":"x","type":"to');
  expect(await types()).toEqual([]);
  await appendFile(path, 'rn"}\n');
  expect(await types()).toEqual(['torn']);
  await writeFile(path, '{"seq":5,"at":"x","type":"anew"}\n');
  expect(await types()).toEqual(['anew']);
});
