import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/host/clock.js';
import { createPoller } from '../../src/mailbox/poller.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { mailFolders } from './mailboxes.js';

const HOUR = 3_600_000;

/** An inbox that has news as often as it is told. */
function inbox() {
  let news = 0;
  return {
    member: 'alice',
    delivered: '/nowhere',
    prepare: async () => {},
    hasNews: async () => news > 0,
    arrive: () => news++,
    take: () => {
      news = 0;
    },
  };
}

test('news is handed over at the next tick, without real time passing', async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  const alice = inbox();
  let calls = 0;
  const poller = createPoller(clock, { everyMs: 1000, watch: false });
  poller.add(
    alice,
    async () => {
      calls++;
      alice.take();
    },
    stop.signal,
  );
  const running = poller.run(stop.signal);
  await clock.advance(999);
  alice.arrive();
  expect(calls).toBe(0);
  await clock.advance(1);
  await eventually(() => expect(calls).toBe(1));
  stop.abort();
  await running;
});

test('waking does not wait for the tick', async () => {
  const stop = new AbortController();
  const alice = inbox();
  let calls = 0;
  const poller = createPoller(systemClock, { everyMs: HOUR, watch: false });
  poller.add(
    alice,
    async () => {
      calls++;
      alice.take();
    },
    stop.signal,
  );
  const running = poller.run(stop.signal);
  alice.arrive();
  poller.wake();
  await eventually(() => expect(calls).toBe(1));
  stop.abort();
  await running;
});

test('calls for one inbox never overlap, and one inbox that is slow holds up no other', async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  const slow = inbox();
  const quick = inbox();
  let atOnce = 0;
  let most = 0;
  let quickCalls = 0;
  let release = () => {};
  const poller = createPoller(clock, { everyMs: 1000, watch: false });
  poller.add(
    slow,
    async () => {
      most = Math.max(most, ++atOnce);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      slow.take();
      atOnce--;
    },
    stop.signal,
  );
  poller.add(quick, async () => void quickCalls++, stop.signal);
  slow.arrive();
  quick.arrive();
  const running = poller.run(stop.signal);
  for (let tick = 0; tick < 5; tick++) await clock.advance(1000);
  await eventually(() => expect(quickCalls).toBeGreaterThan(3));
  expect(most).toBe(1);
  release();
  stop.abort();
  await running;
});

test('a call that fails is reported, stops no other inbox, and is made again', async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  const bad = inbox();
  const good = inbox();
  const problems: unknown[] = [];
  let badCalls = 0;
  let goodCalls = 0;
  const poller = createPoller(clock, { everyMs: 1000, watch: false, onProblem: (_, error) => problems.push(error) });
  poller.add(
    bad,
    async () => {
      bad.take();
      if (++badCalls === 1) throw new Error('no luck');
    },
    stop.signal,
  );
  poller.add(good, async () => void goodCalls++, stop.signal);
  bad.arrive();
  good.arrive();
  const running = poller.run(stop.signal);
  await clock.advance(1000);
  await clock.advance(1000);
  await eventually(() =>
    expect({ badCalls, problems, heard: goodCalls > 1 }).toEqual({
      badCalls: 2,
      problems: [new Error('no luck')],
      heard: true,
    }),
  );
  stop.abort();
  await running;
});

test('with a watcher a delivery is seen long before the tick, also the first one of an inbox', async () => {
  await using mail = await mailFolders();
  const stop = new AbortController();
  const alice = mail.open('alice');
  const seen: string[] = [];
  const poller = createPoller(systemClock, { everyMs: HOUR, watch: true });
  await alice.prepare();
  poller.add(alice, async () => void seen.push(...(await alice.fold()).map(({ text }) => text)), stop.signal);
  const running = poller.run(stop.signal);
  await mail.open('alice').deliver({ from: 'user', text: 'one' });
  await eventually(() => expect(seen).toContain('one'));
  stop.abort();
  await running;
});

test('an inbox whose signal ends is not looked at any more', async () => {
  await using mail = await mailFolders();
  const clock = fakeClock();
  const stop = new AbortController();
  const leave = new AbortController();
  const alice = mail.open('alice');
  let calls = 0;
  const poller = createPoller(clock, { everyMs: 1000, watch: false });
  poller.add(alice, async () => void calls++, leave.signal);
  const running = poller.run(stop.signal);
  leave.abort();
  await writeFile(mail.array('alice'), '[]');
  await clock.advance(5000);
  stop.abort();
  await running;
  expect(calls).toBe(0);
});
