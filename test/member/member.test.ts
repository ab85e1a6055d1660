import { expect, test } from 'vitest';
import type { TurnEnd } from '../../src/agent/events.js';
import { systemClock } from '../../src/host/clock.js';
import { createPoller } from '../../src/mailbox/poller.js';
import { createMember, type MemberControl, type MemberDeps, type Role } from '../../src/member/member.js';
import { createPulse } from '../../src/member/pulse.js';
import { openRunRecord } from '../../src/team/runRecord.js';
import { bench, onAbort, type Reply, tool } from '../agent/harness.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

/** A member on a fake model, its mail and its record real. Ended when the test is over. */
function memberIn(
  team: TeamOnDisk,
  replies: readonly Reply[],
  tools = [tool('Echo', async () => 'echo')],
  role: Partial<Role> = {},
  deps: Pick<MemberDeps, 'loadsForWork' | 'onPrompt'> = {},
) {
  const agent = bench(replies, tools);
  const hard = new AbortController();
  const record = openRunRecord(
    team.paths.runRecord('bob'),
    systemClock,
    team.record({ state: 'starting', counter: 0 }),
  );
  const poller = createPoller(systemClock, { everyMs: 20, watch: false });
  const pulse = createPulse(systemClock, () => {});
  const ends: TurnEnd[] = [];
  const states: string[] = [];
  let loads = 0;
  const member = createMember({
    ...deps,
    name: 'bob',
    clock: systemClock,
    mailbox: team.inbox('bob'),
    poller,
    pulse,
    record: {
      ...record,
      change(patch) {
        if (patch.state && states.at(-1) !== patch.state) states.push(patch.state);
        return record.change(patch);
      },
    },
    events: team.events,
    delivered: new Set(),
    signal: hard.signal,
    onEvent: (event) => agent.events.push(event),
    role: (control: MemberControl) => ({
      handlers: { interrupt: async () => void control.interrupt() as undefined },
      async afterTurn(end) {
        ends.push(end);
        return {};
      },
      ...role,
    }),
    agent(hooks) {
      loads++;
      return { ...agent.deps, history: agent.history, ...hooks, cleanups: [] };
    },
  });
  poller.run(hard.signal);
  const life = member.run();
  life.catch(() => {});
  return {
    ...agent,
    member,
    life,
    ends,
    states,
    loads: () => loads,
    record,
    hard,
    async [Symbol.asyncDispose]() {
      hard.abort();
      await life.catch(() => {});
    },
  };
}

const write = (team: TeamOnDisk, text: string) => team.inbox('bob').deliver({ from: 'team-lead', text });

test('its first turn is its first mail; it says working before, idle after, and counts what it spent', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await write(team, 'begin');
  await using bob = memberIn(team, [{ text: 'report' }]);
  await eventually(() => expect(bob.states).toEqual(['working', 'idle']));
  expect(bob.told(0)).toEqual([expect.stringContaining('begin')]);
  expect(bob.ends).toEqual([{ reason: 'done', text: 'report' }]);
  expect(bob.record.current()).toMatchObject({ turns: 1, costUsd: 0.5, readyAt: expect.any(Number) });
  expect(await team.inbox('bob').waiting()).toBe(0);
});

test('mail is still unread while the record says idle: nobody finds an idle member with its mail gone', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using bob = memberIn(team, [{ hangs: true }]);
  await eventually(() => expect(bob.states).toEqual(['idle']));
  await write(team, 'work');
  await eventually(async () => expect(await team.inbox('bob').waiting()).toBe(0));
  expect(bob.states).toEqual(['idle', 'working']);
});

test('mail that comes in the middle of a turn reaches it behind the tool results, without a turn of its own', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await write(team, 'begin');
  let release = () => {};
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using bob = memberIn(
    team,
    [{ calls: ['Hold'] }, { text: 'both done' }],
    [tool('Hold', async () => hold.then(() => 'held'))],
  );
  await eventually(() => expect(bob.events.at(-1)?.type).toBe('tool_started'));
  await write(team, 'one more thing');
  await eventually(async () => expect(bob.member.control.arrivals.wakes()).toBe(true));
  release();
  await eventually(() => expect(bob.ends.length).toBe(1));
  expect(bob.told(1)).toEqual(['result: held', expect.stringContaining('one more thing')]);
});

test('an interrupt ends the turn that runs and leaves the member alive for the next mail', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await write(team, 'begin');
  await using bob = memberIn(
    team,
    [{ calls: ['Hang'] }, { text: 'again' }],
    [tool('Hang', ({ signal }) => new Promise((_, reject) => onAbort(signal, () => reject(signal.reason))))],
  );
  await eventually(() => expect(bob.events.at(-1)?.type).toBe('tool_started'));
  expect(bob.member.control.interrupt()).toBe(true);
  await eventually(() => expect(bob.ends.map(({ reason }) => reason)).toEqual(['aborted']));
  expect(bob.member.control.interrupt()).toBe(false);
  await write(team, 'and now?');
  await eventually(() => expect(bob.ends.map(({ reason }) => reason)).toEqual(['aborted', 'done']));
});

test('from the moment it says that it works, a turn can be interrupted', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using bob = memberIn(team, [{ hangs: true }]);
  await eventually(() => expect(bob.states).toEqual(['idle']));
  const { push } = bob.states;
  bob.states.push = (state) => {
    expect(bob.member.control.interrupt()).toBe(state === 'working');
    return push.call(bob.states, state);
  };
  await write(team, 'work');
  await eventually(() => expect(bob.ends.map(({ reason }) => reason)).toEqual(['aborted']));
});

test('it leaves at once when idle, and behind the running call when working', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  {
    await using idle = memberIn(team, []);
    await eventually(() => expect(idle.states).toEqual(['idle']));
    idle.member.control.leave();
    await idle.life;
  }
  await write(team, 'begin');
  let finished = false;
  await using bob = memberIn(
    team,
    [{ calls: ['Leave'] }],
    [
      tool('Leave', async () => {
        bob.member.control.leave();
        await new Promise((resolve) => setImmediate(resolve));
        finished = true;
        return 'x';
      }),
    ],
  );
  expect(await bob.life).toMatchObject({ reason: 'aborted' });
  expect(finished).toBe(true);
  expect(bob.client.requests.length).toBe(1);
});

test('before its first turn its role may have it wait, which its end cuts short; later turns begin at once', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await write(team, 'begin');
  const waits: AbortSignal[] = [];
  let go = () => {};
  const role: Partial<Role> = {
    beforeFirstTurn(over) {
      waits.push(over);
      return new Promise((resolve, reject) => {
        go = resolve;
        over.addEventListener('abort', () => reject(over.reason), { once: true });
      });
    },
  };
  {
    await using early = memberIn(team, [], [], role);
    await eventually(() => expect(waits).toHaveLength(1));
    early.member.control.leave();
    await early.life;
    expect(early.client.requests).toEqual([]);
    expect(early.states).toEqual([]);
  }
  await using bob = memberIn(team, [{ text: 'one' }, { text: 'two' }], [], role);
  await eventually(() => expect(waits).toHaveLength(2));
  expect(bob.client.requests).toEqual([]);
  go();
  await eventually(() => expect(bob.states).toEqual(['working', 'idle']));
  await write(team, 'more');
  await eventually(() => expect(bob.client.requests).toHaveLength(2));
  expect(waits).toHaveLength(2);
});

test('what it takes to work is loaded with its first work, and for one that ends before never', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  {
    await using unused = memberIn(team, [], [], {}, { loadsForWork: true });
    await eventually(() => expect(unused.states).toEqual(['idle']));
    unused.member.control.leave();
    await unused.life;
    expect(unused.loads()).toBe(0);
  }
  await using bob = memberIn(team, [{ text: 'report' }], [], {}, { loadsForWork: true });
  await eventually(() => expect(bob.states).toEqual(['idle']));
  expect(bob.loads()).toBe(0);
  await write(team, 'begin');
  await eventually(() => expect(bob.ends).toEqual([{ reason: 'done', text: 'report' }]));
  expect(bob.loads()).toBe(1);
  await eventually(() => expect(bob.states).toEqual(['idle', 'working', 'idle']));
});

test('a prompt that cannot arrive before the agent has been asked about it is work as well', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await write(team, 'begin');
  const onPrompt: MemberDeps['onPrompt'] = async () => {
    await eventually(() => expect(bob.loads()).toBe(1));
    return { told: 'what the agent says' };
  };
  await using bob = memberIn(team, [{ text: 'report' }], [], {}, { loadsForWork: true, onPrompt });
  await eventually(() => expect(bob.ends.length).toBe(1));
  expect(bob.told(0)).toEqual([expect.stringContaining('what the agent says')]);
});

/** What every bob has here; its record, its signal and its agent are each test's own. */
const bobIn = (team: TeamOnDisk) => ({
  name: 'bob',
  clock: systemClock,
  mailbox: team.inbox('bob'),
  poller: createPoller(systemClock, { everyMs: 20, watch: false }),
  pulse: createPulse(systemClock, () => {}),
  events: team.events,
  delivered: new Set<string>(),
  role: () => ({ handlers: {}, afterTurn: async () => ({}) }),
});

test('a call does not wait until its record is written; the model is not asked again before', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await write(team, 'begin');
  const called: string[] = [];
  const echo = tool('Echo', async () => {
    called.push('Echo');
    return 'echo';
  });
  const agent = bench([{ calls: ['Echo'] }, { text: 'report' }], [echo]);
  const file = openRunRecord(team.paths.runRecord('bob'), systemClock, team.record());
  let release = () => {};
  const disk = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hard = new AbortController();
  const member = createMember({
    ...bobIn(team),
    // A slow disk, once there is something spent.
    record: {
      ...file,
      change: (patch) => (patch.turns ? disk.then(() => file.change(patch)) : file.change(patch)),
      flush: () => disk.then(file.flush),
    },
    signal: hard.signal,
    onEvent: (event) => agent.events.push(event),
    agent: (hooks) => ({ ...agent.deps, history: agent.history, ...hooks, cleanups: [] }),
  });
  const life = member.run();
  await eventually(() => expect(agent.transcript.map(({ type }) => type)).toEqual(['user', 'assistant', 'user']));
  expect([called, agent.client.requests.length]).toEqual([['Echo'], 1]);
  release();
  await eventually(() => expect(agent.client.requests).toHaveLength(2));
  hard.abort();
  await life;
});

test('a record that cannot be written ends the member with its transcript closed, not in silence', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await write(team, 'begin');
  const closed: string[] = [];
  const agent = bench([{ text: 'x' }]);
  const record = openRunRecord(team.paths.runRecord('bob'), systemClock, team.record());
  const member = createMember({
    ...bobIn(team),
    record: {
      ...record,
      change: (patch) => (patch.turns ? Promise.reject(new Error('no space')) : record.change(patch)),
    },
    signal: new AbortController().signal,
    onEvent: () => {},
    agent: (hooks) => ({ ...agent.deps, history: [], ...hooks, cleanups: [() => void closed.push('transcript')] }),
  });
  await expect(member.run()).rejects.toThrow('no space');
  expect(closed).toEqual(['transcript']);
});

test('beats come on time, never twice at once, and one that fails comes again', async () => {
  const clock = fakeClock();
  const problems: unknown[] = [];
  const pulse = createPulse(clock, (error) => problems.push(error));
  const end = new AbortController();
  const calls = { fast: 0, slow: 0, stuck: 0 };
  pulse.every(1000, async () => void calls.fast++, end.signal);
  pulse.every(5000, () => Promise.reject(new Error(`slow ${calls.slow++}`)), end.signal);
  pulse.every(1000, () => new Promise(() => calls.stuck++), end.signal);
  const running = pulse.run(end.signal);
  for (let second = 0; second < 10; second++) await clock.advance(1000);
  expect(calls).toEqual({ fast: 10, slow: 2, stuck: 1 });
  expect(problems.length).toBe(2);
  end.abort();
  await running;
});
