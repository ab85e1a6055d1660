import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { createAnthropicClient } from '../../src/model/anthropic.js';
import { sharedStore } from '../../src/model/sharedTraffic.js';
import { createTraffic } from '../../src/model/traffic.js';
import type { ModelRequest } from '../../src/model/types.js';
import { eventually } from '../helpers/eventually.js';
import { tempDir } from '../helpers/tempDir.js';
import { modelServer } from '../modelServer/helpers.js';

const MEMBERS = ['a', 'b', 'c', 'd', 'e'];
const request = (member: string): ModelRequest => ({
  model: 'claude-sonnet-5-5',
  system: [],
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
  userId: `troupe:red:${member}`,
});

function askingIn(folder: string, baseURL: string, limit: number, more: { fallbackModel?: string } = {}) {
  const clock = systemClock;
  const ids = systemIds;
  const client = createAnthropicClient({
    clock,
    ids,
    baseURL,
    env: { ANTHROPIC_API_KEY: 'k' },
    ...more,
    traffic: createTraffic({ clock, ids, store: sharedStore(folder, ids), limit }),
  });
  return async (member: string, signal = new AbortController().signal): Promise<unknown> => {
    const stream = client.stream(request(member), signal);
    for (;;) {
      const step = await stream.next();
      if (step.done) return step.value.message.stop_reason;
    }
  };
}

/** Five members ask a service that is overloaded until that is ended. */
async function outage(folderOf: (member: string) => string) {
  let now = 0;
  const server = await modelServer({
    clock: { ...systemClock, now: () => now },
    faults: [{ status: 529, for: 1 }],
  });
  const answers = Promise.all(MEMBERS.map((member) => askingIn(folderOf(member), server.url, 20)(member)));
  answers.catch(() => {});
  return {
    answers,
    refusals: () => server.log().filter(({ status }) => status === 529).length,
    end() {
      now = 1000;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

test('five members who share the back-off all come through an outage, with far fewer requests than without', async () => {
  await using dir = await tempDir();
  const began = systemClock.monotonic();
  await using shared = await outage(() => join(dir.path, 'shared'));
  await using alone = await outage((member) => join(dir.path, member));
  // Each for itself, all ask again soon.
  await eventually(() => expect(alone.refusals()).toBeGreaterThanOrEqual(MEMBERS.length * 2));
  const lasted = systemClock.monotonic() - began;
  for (const one of [shared, alone]) one.end();
  for (const one of [shared, alone]) expect(await one.answers).toEqual(MEMBERS.map(() => 'end_turn'));
  // All five at once; then one at a time: after half a second, a quarter less at the least, and twice as long each time.
  expect(2 ** (shared.refusals() - MEMBERS.length)).toBeLessThanOrEqual(lasted / 375 + 1);
});

test('no more requests are in flight than the machine allows, and an abort makes room for the next', async () => {
  await using dir = await tempDir();
  await using server = await modelServer({ faults: [{ stream: 'hang', times: 2 }] });
  const members = MEMBERS.map((name) => {
    const stop = new AbortController();
    return { name, stop, answer: askingIn(dir.path, server.url, 2)(name, stop.signal).catch(String) };
  });
  await eventually(() => expect(server.log()).toHaveLength(2));
  const hanging = server.log().map(({ userId }) => userId.split(':')[2]);
  for (const { name, stop } of members) if (hanging.includes(name)) stop.abort('enough');
  const answers = await Promise.all(members.map(({ answer }) => answer));
  expect(answers).toEqual(MEMBERS.map((name) => (hanging.includes(name) ? 'enough' : 'end_turn')));
  expect(server.log().filter(({ hungUp }) => hungUp)).toHaveLength(2);
});

test('after three overloads that they met together all go to their fallback model, each without trying for itself', async () => {
  await using dir = await tempDir();
  await using server = await modelServer({
    script: "agents: {'*': [{when: {model: sonnet}, fault: {status: 529, times: 1000}, reply: no}, {reply: ok}]}",
  });
  const ask = askingIn(dir.path, server.url, 20, { fallbackModel: 'claude-haiku-5-5' });
  expect(await Promise.all(MEMBERS.map((member) => ask(member)))).toEqual(MEMBERS.map(() => 'end_turn'));
  const refusals = server.log().filter(({ status }) => status === 529).length;
  expect(refusals).toBeLessThanOrEqual(MEMBERS.length + 2);
  // Who comes later does not wait either.
  await ask('late');
  expect(server.log().at(-1)).toMatchObject({ status: 200, model: 'claude-haiku-5-5', userId: 'troupe:red:late' });
});
