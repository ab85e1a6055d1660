import { expect, test } from 'vitest';
import { systemIds } from '../../src/host/ids.js';
import { createAsker } from '../../src/member/ask.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

const QUESTION = {
  tool: 'Bash',
  toolUseId: 'toolu_1',
  input: { command: 'make' },
  description: 'Run make',
  suggestions: [{ behavior: 'allow' as const, rule: 'Bash(make)' }],
};

function askerIn(team: TeamOnDisk, timeoutMs = 60_000) {
  const clock = fakeClock();
  const waits: (string | undefined)[] = [];
  const announced: string[] = [];
  const asker = createAsker({
    self: 'bob',
    requests: team.requests,
    clock,
    ids: systemIds,
    timeoutMs,
    announce: async ({ id }) => void announced.push(id),
    waiting: async (id) => void waits.push(id),
  });
  const turn = new AbortController();
  return { asker, clock, waits, announced, turn, ask: () => asker.ask(QUESTION, turn.signal) };
}

const open = (team: TeamOnDisk) =>
  eventually(async () => {
    const [request] = await team.requests.open();
    if (!request) throw new Error('nothing is asked');
    return request;
  });

test('a question is a request on disk, the member waits for it, and the answer’s file decides', async () => {
  await using team = await teamOnDisk();
  const { asker, ask, waits, announced } = askerIn(team);
  const answer = ask();
  const request = await open(team);
  expect(request).toMatchObject({ kind: 'permission', from: 'bob', tool: 'Bash', input: { command: 'make' } });
  await asker.check();
  await team.requests.answer({ id: request.id, by: 'user', approve: true });
  await eventually(() => expect(announced).toEqual([request.id]));
  await asker.check();
  expect(await answer).toEqual({ allow: true });
  expect(waits).toEqual([request.id, undefined]);
});

test('the reason of a denial is told to the model', async () => {
  await using team = await teamOnDisk();
  const { asker, ask, announced } = askerIn(team);
  const answer = ask();
  const { id } = await open(team);
  await eventually(() => expect(announced).toEqual([id]));
  await team.requests.answer({ id, by: 'user', approve: false, message: 'use npm' });
  await asker.check();
  expect(await answer).toEqual({ allow: false, because: 'Denied: Run make. Reason: use npm' });
});

test('silence is a denial, and a late answer an error to its sender', async () => {
  await using team = await teamOnDisk();
  const { ask, clock, announced } = askerIn(team);
  const answer = ask();
  const { id } = await open(team);
  await eventually(() => expect(announced).toEqual([id]));
  await clock.advance(60_000);
  expect(await answer).toMatchObject({ allow: false, because: expect.stringMatching(/Nobody answered within 1 min/) });
  await expect(team.requests.answer({ id, by: 'user', approve: true })).rejects.toThrow('already');
});

test('a turn that ends while it waits denies, and closes the question', async () => {
  await using team = await teamOnDisk();
  const { ask, turn } = askerIn(team);
  const answer = ask();
  await open(team);
  turn.abort();
  expect(await answer).toMatchObject({ allow: false });
  expect(await team.requests.open()).toEqual([]);
});

test('where nobody can be asked it is denied at once, without a request', async () => {
  await using team = await teamOnDisk();
  const { ask } = askerIn(team, 0);
  expect(await ask()).toMatchObject({ allow: false, because: expect.stringMatching(/^Run make needs a permission/) });
  expect(await team.requests.open()).toEqual([]);
});

test('of several questions at once the member waits for one until the last is answered', async () => {
  await using team = await teamOnDisk();
  const { asker, ask, waits, announced } = askerIn(team);
  const answers = [ask(), ask()];
  await eventually(() => expect(announced.length).toBe(2));
  const [first = '', second = ''] = announced;
  await team.requests.answer({ id: second, by: 'user', approve: true });
  await asker.check();
  await eventually(() => expect(waits.at(-1)).toBe(first));
  await team.requests.answer({ id: first, by: 'user', approve: true });
  await asker.check();
  expect(await Promise.all(answers)).toEqual([{ allow: true }, { allow: true }]);
  expect(waits.at(-1)).toBeUndefined();
});

test('what waits can be withdrawn with a reason that the model reads; an answer of that very moment counts', async () => {
  await using team = await teamOnDisk();
  const { asker, ask, announced } = askerIn(team);
  const first = ask();
  const { id } = await open(team);
  await eventually(() => expect(announced).toEqual([id]));
  await asker.withdraw('It was asked to shut down.');
  expect(await first).toEqual({ allow: false, because: 'Denied: Run make. Reason: It was asked to shut down.' });

  const second = ask();
  await eventually(() => expect(announced).toHaveLength(2));
  await team.requests.answer({ id: announced[1] ?? '', by: 'user', approve: true });
  await asker.withdraw('It was asked to shut down.');
  expect(await second).toEqual({ allow: true });
});

test('a request tells what the call would change, where its input alone does not', async () => {
  await using team = await teamOnDisk();
  const asker = createAsker({
    ...{ self: 'bob', requests: team.requests, clock: fakeClock(), ids: systemIds, timeoutMs: 60_000 },
    announce: async () => {},
    preview: async ({ paths }) => `+a line of ${paths?.at(-1)}`,
    waiting: async () => {},
  });
  const turn = new AbortController();
  const answer = asker.ask({ ...QUESTION, paths: ['/link', '/file'] }, turn.signal);
  expect(await open(team)).toMatchObject({ preview: '+a line of /file' });
  turn.abort();
  expect(await answer).toMatchObject({ allow: false });
});
