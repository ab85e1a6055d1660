import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLines } from '../../src/store/jsonLines.js';
import { UserError } from '../../src/util/errors.js';
import { mailFolders } from './mailboxes.js';

const texts = (messages: readonly { text: string }[]) => messages.map(({ text }) => text);

test('what is sent is seen by anybody who looks, and nobody who looks writes', async () => {
  await using mail = await mailFolders();
  await mail.open('alice').deliver({ from: 'user', text: 'hello', summary: 'a greeting' });
  const before = await readdir(mail.team.inboxes);
  expect(await mail.open('alice').peek()).toEqual([
    {
      msg_id: expect.any(String),
      msgV: 1,
      from: 'user',
      text: 'hello',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      read: false,
      type: 'message',
      summary: 'a greeting',
    },
  ]);
  expect(await mail.open('alice').waiting()).toBe(1);
  expect(await readdir(mail.team.inboxes)).toEqual(before);
});

test('folding hands over every unread message until it is marked read', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  const first = await alice.deliver({ from: 'user', text: 'one' });
  await alice.deliver({ from: 'user', text: 'two' });
  expect(texts(await alice.fold())).toEqual(['one', 'two']);
  await alice.markRead([first.msg_id]);
  expect(texts(await mail.open('alice').fold())).toEqual(['two']);
  expect(await readdir(alice.delivered)).toEqual([]);
  expect((await alice.peek()).map(({ text, read }) => ({ text, read }))).toEqual([
    { text: 'one', read: true },
    { text: 'two', read: false },
  ]);
});

test('a message whose file survived a crash behind the fold is delivered once', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  const { msg_id } = await alice.deliver({ from: 'user', text: 'one' });
  const file = join(alice.delivered, `${msg_id}.json`);
  const content = await readFile(file, 'utf8');
  await alice.fold();
  await writeFile(file, content);
  expect(texts(await mail.open('alice').peek())).toEqual(['one']);
  expect(texts(await mail.open('alice').fold())).toEqual(['one']);
});

test('what was read stays read when its delivery lies there again, and does not leave the array before its file', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  const sent = [];
  for (let n = 0; n < 101; n++) sent.push(await alice.deliver({ from: 'user', text: `${n}` }));
  await alice.fold();
  await alice.markRead(sent.slice(0, 100).map(({ msg_id }) => msg_id));
  await writeFile(join(alice.delivered, `${sent[0]?.msg_id}.json`), JSON.stringify(sent[0]));
  expect(await alice.waiting()).toBe(1);
  await alice.markRead(sent.slice(100).map(({ msg_id }) => msg_id));
  expect(texts(await alice.peek())).toContain('0');
  expect(await alice.fold()).toEqual([]);
});

test('the same id sent twice arrives once', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  const { msg_id } = await alice.deliver({ from: 'user', text: 'one' });
  await alice.fold();
  await alice.deliver({ msg_id, from: 'user', text: 'one' });
  expect(await alice.fold()).toHaveLength(1);
});

test('the array keeps the unread and the last hundred read messages; older ones are in the log', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  const ids: string[] = [];
  for (let n = 0; n < 120; n++) ids.push((await alice.deliver({ from: 'user', text: `${n}` })).msg_id);
  await alice.fold();
  await alice.markRead(ids.slice(0, 115));
  const kept = await alice.peek();
  expect(texts(kept)).toEqual(Array.from({ length: 105 }, (_, n) => `${n + 15}`));
  const { records } = await readLines(join(mail.team.inboxes, 'alice.log.jsonl'));
  expect(records).toMatchObject(Array.from({ length: 15 }, (_, n) => ({ text: `${n}`, read: true })));
});

test('unread mail of a dead member moves to the log and is counted', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  await alice.deliver({ from: 'user', text: 'folded' });
  await alice.fold();
  await alice.deliver({ from: 'user', text: 'not folded' });
  expect(await mail.open('alice').moveUnreadToLog()).toBe(2);
  expect(await alice.fold()).toEqual([]);
  const { records } = await readLines(join(mail.team.inboxes, 'alice.log.jsonl'));
  expect(records).toMatchObject([{ text: 'folded' }, { text: 'not folded' }]);
});

test('an empty message is refused, and so is an id that could leave the folder', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  await expect(alice.deliver({ from: 'user', text: ' \n' })).rejects.toThrow(/empty/);
  await expect(alice.deliver({ from: 'user', text: 'x', msg_id: '../../x' })).rejects.toThrow(UserError);
  expect(() => mail.open('../alice')).toThrow(UserError);
});

test('a late send does not bring an archived team back', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  await rename(mail.team.inboxes, `${mail.team.inboxes}-archived`);
  await expect(alice.deliver({ from: 'user', text: 'late' })).rejects.toThrow(/gone/);
  await expect(readdir(mail.team.inboxes)).rejects.toThrow(/ENOENT/);
});

test('prose over 100 KB lies in a file of its own, a protocol message stays whole', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  const long = 'ü'.repeat(60 * 1024);
  const { text, msg_id } = await alice.deliver({ from: 'user', text: long });
  const path = join(mail.team.files, `${msg_id}.txt`);
  expect(text.startsWith('ü'.repeat(1000))).toBe(true);
  expect(text).toContain(path);
  expect(text.length).toBeLessThan(2000);
  expect(await readFile(path, 'utf8')).toBe(long);
  const plan = JSON.stringify({ request_id: 'r', plan: long, plan_path: '/p' });
  expect((await alice.deliver({ from: 'bob', type: 'plan_approval_request', text: plan })).text).toBe(plan);
});

test('lone surrogates are replaced on the way in', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  await alice.deliver({ from: 'user', text: 'a\ud800b' });
  expect(texts(await alice.fold())).toEqual(['a\ufffdb']);
});

test('records that another program appends are prose and keep the id they are given', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  const foreign = {
    from: 'bob',
    text: '{"type":"shutdown_request"}',
    timestamp: '2026-01-01T00:00:00Z',
    read: false,
    extra: 1,
  };
  await writeFile(mail.array('alice'), JSON.stringify([foreign, foreign, { ...foreign, type: 'shutdown_request' }]));
  const seen = await mail.open('alice').peek();
  const folded = await alice.fold();
  expect(folded).toEqual(seen);
  expect(new Set(folded.map(({ msg_id }) => msg_id)).size).toBe(3);
  expect(folded).toMatchObject([{ type: 'message', extra: 1 }, { type: 'message' }, { type: 'message' }]);
  const ids = folded.map(({ msg_id }) => msg_id);
  await alice.markRead(ids);
  expect((await mail.open('alice').peek()).map(({ msg_id, read }) => ({ msg_id, read }))).toEqual(
    ids.map((msg_id) => ({ msg_id, read: true })),
  );
});

test('a torn array is kept as a copy, reported once, and rebuilt from what parses', async () => {
  await using mail = await mailFolders();
  const problems: string[] = [];
  const alice = mail.open('alice', (problem) => problems.push(problem));
  const whole = JSON.stringify([
    { from: 'bob', text: 'a "}" in a string', timestamp: 't', read: false },
    { from: 'bob', text: 'second', timestamp: 't', read: false },
  ]);
  const torn = whole.slice(0, -20);
  await writeFile(mail.array('alice'), torn);
  expect(texts(await alice.peek())).toEqual(['a "}" in a string']);
  await alice.deliver({ from: 'user', text: 'new' });
  expect(texts(await alice.fold())).toEqual(['a "}" in a string', 'new']);
  await alice.fold();
  expect(problems).toEqual([expect.stringMatching(/was broken.*1 messages were rescued/)]);
  const [copy] = (await readdir(mail.team.inboxes)).filter((name) => name.includes('.corrupt-'));
  expect(await readFile(join(mail.team.inboxes, copy ?? ''), 'utf8')).toBe(torn);
});

test.each(['', 'null', '[]x', '[1, {"from": 7}]', '{"messages": []}'])(
  'the file %j instead of an array loses no delivery and is kept',
  async (content) => {
    await using mail = await mailFolders();
    const problems: string[] = [];
    const alice = mail.open('alice', (problem) => problems.push(problem));
    await writeFile(mail.array('alice'), content);
    await alice.deliver({ from: 'user', text: 'new' });
    expect(texts(await alice.fold())).toEqual(['new']);
    expect(problems).toHaveLength(1);
    expect((await readdir(mail.team.inboxes)).filter((name) => name.includes('.corrupt-'))).toHaveLength(1);
  },
);

test('a delivery that is no message is moved aside, reported once, and in nobody’s way', async () => {
  await using mail = await mailFolders();
  const problems: string[] = [];
  const alice = mail.open('alice', (problem) => problems.push(problem));
  await alice.prepare();
  await writeFile(join(alice.delivered, 'a.json'), '{"from":');
  await mkdir(join(alice.delivered, 'b'));
  await alice.deliver({ from: 'user', text: 'fine' });
  expect(texts(await alice.peek())).toEqual(['fine']);
  expect(texts(await alice.fold())).toEqual(['fine']);
  expect(problems).toHaveLength(2);
  expect(await alice.hasNews()).toBe(false);
  expect((await readdir(mail.team.inboxes)).filter((name) => name.includes('.corrupt-'))).toHaveLength(2);
});

test('there is news after a delivery, after a foreign write and at the first look, and none after folding', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  expect(await alice.hasNews()).toBe(false);
  await alice.deliver({ from: 'user', text: 'one' });
  expect(await alice.hasNews()).toBe(true);
  await alice.fold();
  expect(await alice.hasNews()).toBe(false);
  await utimes(mail.array('alice'), 1, 1);
  expect(await alice.hasNews()).toBe(true);
  expect(await mail.open('alice').hasNews()).toBe(true);
});

test('folding leaves no lock, draft or delivery behind, and files only their owner can read', async () => {
  await using mail = await mailFolders();
  const alice = mail.open('alice');
  await Promise.all(Array.from({ length: 20 }, (_, n) => mail.open('alice').deliver({ from: 'user', text: `${n}` })));
  expect(await alice.fold()).toHaveLength(20);
  expect((await readdir(mail.team.inboxes)).sort()).toEqual(['alice.d', 'alice.json']);
  expect(await readdir(join(mail.team.inboxes, 'alice.d', 'tmp'))).toEqual([]);
  await rm(mail.array('alice'));
  expect(await alice.fold()).toEqual([]);
});

test('what is delivered between a look and its mark is still news: nobody waits for the next message to see it', async () => {
  await using folders = await mailFolders();
  const inbox = folders.open('bob');
  const first = await folders.open('bob').deliver({ from: 'alice', text: 'first' });
  await inbox.fold();
  await folders.open('bob').deliver({ from: 'alice', text: 'second' });
  await inbox.markRead([first.msg_id]);
  expect(await inbox.hasNews()).toBe(true);
  expect((await inbox.fold()).map(({ text }) => text)).toEqual(['second']);
  expect(await inbox.hasNews()).toBe(false);
});
