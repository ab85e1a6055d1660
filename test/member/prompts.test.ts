import { expect, test } from 'vitest';
import { createArrivals } from '../../src/agent/arrivals.js';
import type { Handlers } from '../../src/mailbox/handlers.js';
import { createDispatcher, type OnPrompt, type Told } from '../../src/member/dispatch.js';
import { sendProtocol } from '../../src/team/messages.js';
import { eventually } from '../helpers/eventually.js';
import { type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

/** Bob's mail, with hooks on what he is told. */
function dispatcher(team: TeamOnDisk, onPrompt: OnPrompt, handlers: Handlers<Told> = {}) {
  const arrivals = createArrivals();
  const mailbox = team.inbox('bob');
  const report = async () => {};
  const take = createDispatcher({ mailbox, arrivals, handlers, delivered: new Set(), report, onPrompt });
  return { take, arrivals };
}

const waiting = (team: TeamOnDisk) => team.inbox('bob').waiting();

test('what a hook adds stands behind the message, which is delivered and marked as any other', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const { take, arrivals } = dispatcher(team, async () => ({ told: 'The branch is main.' }));
  const { msg_id } = await team.inbox('bob').deliver({ from: 'user', text: 'Go.' });
  await take();
  await eventually(() => expect(arrivals.wakes()).toBe(true));
  const [arrival] = arrivals.take();
  expect(arrival?.text).toMatch(/Go\.[\s\S]*<hook>\nThe branch is main\.\n<\/hook>$/);
  expect(arrival?.mail).toEqual([msg_id]);
  expect(await waiting(team)).toBe(1);
});

test('a message that a hook blocks is not read by the model, and waits no longer', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const { take, arrivals } = dispatcher(team, async ({ text }) => (text === 'Bad.' ? { blocked: true } : {}));
  await team.inbox('bob').deliver({ from: 'user', text: 'Bad.' });
  await team.inbox('bob').deliver({ from: 'user', text: 'Good.' });
  await take();
  await eventually(() => expect(arrivals.wakes()).toBe(true));
  await eventually(async () => expect(await waiting(team)).toBe(1));
  const texts = arrivals.take().map(({ text }) => text);
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain('Good.');
});

test('control messages do not wait for a hook on prose, and prose stays in its order', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let interrupts = 0;
  const { take, arrivals } = dispatcher(
    team,
    async ({ text }) => {
      if (text === 'first') await held;
      return {};
    },
    { interrupt: async () => void interrupts++ as undefined },
  );
  for (const text of ['first', 'second']) await team.inbox('bob').deliver({ from: 'user', text });
  await sendProtocol(team.place, { from: 'user' }, 'bob', 'interrupt', {});
  await take();
  expect(interrupts).toBe(1);
  expect(arrivals.wakes()).toBe(false);
  release();
  const texts: string[] = [];
  await eventually(() => {
    texts.push(...arrivals.take().map(({ text }) => text));
    expect(texts).toHaveLength(2);
  });
  expect(texts.map((text) => /first|second/.exec(text)?.[0])).toEqual(['first', 'second']);
});

test('a message is not lost when its hooks break', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const { take, arrivals } = dispatcher(team, () => Promise.reject(new Error('broken')));
  await team.inbox('bob').deliver({ from: 'user', text: 'Go.' });
  await take();
  await eventually(() => expect(arrivals.wakes()).toBe(true));
  expect(arrivals.take()[0]?.text).toContain('Go.');
});
