import type { FileHandle } from 'node:fs/promises';
import { appendFile, open as openFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemIds } from '../../src/host/ids.js';
import { openTranscript } from '../../src/transcript/transcript.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';

const said = (content: string) => ({ type: 'user' as const, message: { role: 'user', content } });

async function transcriptFile() {
  const dir = await tempDir();
  const path = join(dir.path, 'transcript.jsonl');
  const open = (agentId?: string) =>
    openTranscript(path, { sessionId: 's', agentId, clock: fakeClock(), ids: systemIds });
  return { path, folder: dir.path, open, [Symbol.asyncDispose]: dir[Symbol.asyncDispose] };
}

test('each line names the one before it, in the order of the calls, also when opened again', async () => {
  await using file = await transcriptFile();
  const first = file.open();
  await Promise.all(Array.from({ length: 10 }, (_, n) => first.append(said(`${n}`))));
  await first.close();
  const second = file.open();
  await second.append({ ...said('10'), msg_ids: ['m1'], extra: 1 });
  await second.close();
  const { entries, broken } = await second.load();
  expect(broken).toEqual([]);
  expect(entries.map(({ message }) => message)).toEqual(
    Array.from({ length: 11 }, (_, n) => ({ role: 'user', content: `${n}` })),
  );
  expect(entries.map(({ parentUuid }) => parentUuid)).toEqual([null, ...entries.slice(0, -1).map(({ uuid }) => uuid)]);
  expect(entries[10]).toEqual({
    uuid: expect.any(String),
    parentUuid: entries[9]?.uuid,
    sessionId: 's',
    isSidechain: false,
    type: 'user',
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role: 'user', content: '10' },
    msg_ids: ['m1'],
    extra: 1,
  });
});

test('a sub-agent’s lines say so', async () => {
  await using file = await transcriptFile();
  const transcript = file.open('agent-1f');
  expect(await transcript.append(said('x'))).toMatchObject({ agentId: 'agent-1f', isSidechain: true });
  await transcript.close();
});

test('a last line torn by a crash is dropped on load and cut off before the next append', async () => {
  await using file = await transcriptFile();
  const before = file.open();
  const { uuid } = await before.append(said('whole'));
  await before.close();
  await appendFile(file.path, '{"uuid":"torn","mess');
  const after = file.open();
  expect((await after.load()).entries).toHaveLength(1);
  expect((await after.append(said('next'))).parentUuid).toBe(uuid);
  await after.close();
  expect(await after.load()).toMatchObject({ entries: [{ uuid }, { parentUuid: uuid }], broken: [] });
});

test('a broken line in the middle is reported by its number and hides no other', async () => {
  await using file = await transcriptFile();
  const transcript = file.open();
  await transcript.append(said('one'));
  await transcript.close();
  await appendFile(file.path, 'what\n{"no":"entry"}\n');
  await transcript.append(said('two'));
  await transcript.close();
  const { entries, broken } = await transcript.load();
  expect(entries).toHaveLength(2);
  expect(broken).toEqual([2, 3]);
});

test('no file is an empty conversation, and a folder that is gone is not made', async () => {
  await using file = await transcriptFile();
  expect(await file.open().load()).toEqual({ entries: [], broken: [] });
  const gone = openTranscript(join(file.folder, 'gone', 't.jsonl'), {
    sessionId: 's',
    clock: fakeClock(),
    ids: systemIds,
  });
  await expect(gone.append(said('x'))).rejects.toThrow(/ENOENT/);
  expect(await readdir(file.folder)).toEqual([]);
});

test('appending reads no more of a long transcript than its end', async () => {
  await using file = await transcriptFile();
  const broken = 'x'.repeat(1_000_000);
  await writeFile(file.path, `${broken}\n`.repeat(20));
  const transcript = file.open();
  await transcript.append(said('one'));
  await transcript.append(said('two'));
  await transcript.close();
  expect((await readFile(file.path, 'utf8')).endsWith('\n')).toBe(true);
  expect((await transcript.load()).entries).toHaveLength(2);
});

/** Holds back every file that is to be made sure of on disk, until it is told how that ended. */
async function slowDisk(folder: string) {
  await using any = await openFile(join(folder, 'any'), 'w');
  const handles: Pick<FileHandle, 'datasync'> = Object.getPrototypeOf(any);
  const { datasync } = handles;
  const waiting: { readonly ends: (error?: Error) => void }[] = [];
  handles.datasync = () =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ ends: (error) => (error ? reject(error) : resolve()) });
    });
  const next = async (error?: Error) => {
    await eventually(() => expect(waiting.length).toBeGreaterThan(0));
    waiting.shift()?.ends(error);
  };
  return {
    waiting,
    next,
    [Symbol.dispose]() {
      handles.datasync = datasync;
    },
  };
}

test('a line that what is said goes on from is in the file at once, and the next one waits for the disk', async () => {
  await using file = await transcriptFile();
  using disk = await slowDisk(file.folder);
  const transcript = file.open();
  await transcript.append(said('one'), { goesOn: true });
  expect((await transcript.load()).entries).toHaveLength(1);
  const second = transcript.append(said('two'));
  await disk.next();
  await disk.next();
  expect((await second).parentUuid).toBe((await transcript.load()).entries[0]?.uuid);
  await transcript.close();
});

test('a disk that fails behind a line fails what comes next, and the line after that goes on from what is there', async () => {
  await using file = await transcriptFile();
  using disk = await slowDisk(file.folder);
  const transcript = file.open();
  const { uuid } = await transcript.append(said('one'), { goesOn: true });
  await disk.next(new Error('the disk is gone'));
  await expect(transcript.append(said('two'))).rejects.toThrow('the disk is gone');
  const third = transcript.append(said('three'));
  await disk.next();
  expect((await third).parentUuid).toBe(uuid);
  await transcript.close();
  expect((await transcript.load()).entries).toHaveLength(2);
});
