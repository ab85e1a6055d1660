import { expect, test } from 'vitest';
import type { Act } from '../../../src/tui/dashboard/board.js';
import { showDashboard } from '../../../src/tui/dashboard/dashboard.js';
import type { TeamSnapshot } from '../../../src/tui/dashboard/snapshot.js';
import { theme } from '../../../src/tui/theme.js';
import { ExitCode, UserError } from '../../../src/util/errors.js';
import { eventually } from '../../helpers/eventually.js';
import { fakeClock } from '../../helpers/fakeClock.js';
import { snapshot } from './boards.js';
import { fakeTerminal } from './fakeTerminal.js';

function dashboard({
  read,
  carryOut,
}: {
  read?: (chosen: string | undefined) => Promise<TeamSnapshot>;
  carryOut?: (act: Act) => Promise<string>;
} = {}) {
  const terminal = fakeTerminal();
  const over = new AbortController();
  const acts: Act[] = [];
  const looks: (string | undefined)[] = [];
  const clock = fakeClock();
  let hint = () => {};
  const ended = showDashboard({
    snapshots: {
      read: async (chosen) => {
        looks.push(chosen);
        return read ? read(chosen) : snapshot();
      },
    },
    carryOut: async (act) => {
      acts.push(act);
      return carryOut ? carryOut(act) : 'It is done.';
    },
    watch: (onChange) => {
      hint = onChange;
    },
    look: { theme: theme(false), isAscii: false },
    clock,
    signal: over.signal,
    streams: terminal.streams,
  });
  let all = '';
  const shows = (words: string) =>
    eventually(() => {
      all += terminal.drawn();
      expect(all).toContain(words);
    });
  const isGivenBack = () => shows('\x1b[?1049l');
  return { ...terminal, ended, acts, looks, clock, over, shows, isGivenBack, hint: () => hint() };
}

test('it shows the team until q, does what is wanted, and says what has come of it', async () => {
  const { type, shows, acts, ended, isGivenBack } = dashboard();
  await shows('Members 3');
  type('ji');
  await shows('It is done.');
  expect(acts).toEqual([{ type: 'interrupt', member: 'bob' }]);
  type('q');
  expect(await ended).toEqual({ unfinished: 0, refusal: undefined });
  await isGivenBack();
});

test('another member is looked at as soon as it is chosen, a hint soon, and without any once a second', async () => {
  const { type, looks, shows, clock, hint, over, ended } = dashboard();
  await shows('Members 3');
  expect(looks).toEqual([undefined]);
  type('j');
  await eventually(() => expect(looks.at(-1)).toBe('bob'));
  const before = looks.length;
  hint();
  await clock.pass(250);
  await eventually(() => expect(looks.length).toBe(before + 1));
  await clock.pass(250);
  await clock.pass(750);
  await eventually(() => expect(looks.length).toBe(before + 2));
  over.abort();
  await ended;
});

test('what fails is said in its words and ends nothing; a refusal to a member is handed on', async () => {
  const refusal = new UserError('"troupe interrupt" is for a person.', ExitCode.refused);
  const { type, shows, ended, isGivenBack } = dashboard({ carryOut: () => Promise.reject(refusal) });
  await shows('Members 3');
  type('i');
  await shows('is for a person');
  type('\x03');
  expect(await ended).toEqual({ unfinished: 0, refusal });
  await isGivenBack();
});

test('a look that fails is told, and the next one is made', async () => {
  let fails = false;
  const { shows, ended, clock, over, looks } = dashboard({
    read: async () => {
      if (fails) throw new Error('config.json is not JSON');
      return snapshot();
    },
  });
  await shows('Members 3');
  fails = true;
  await clock.pass(250);
  await clock.pass(750);
  await shows('config.json is not JSON');
  const before = looks.length;
  await clock.pass(250);
  await clock.pass(750);
  await eventually(() => expect(looks.length).toBeGreaterThan(before));
  over.abort();
  await ended;
});

test('what takes long is left to itself by who leaves', async () => {
  const { type, shows, ended } = dashboard({ carryOut: () => new Promise(() => {}) });
  await shows('Members 3');
  type('iq');
  expect((await ended).unfinished).toBe(1);
});

test('a fault of ours gives the terminal back and is thrown', async () => {
  let isBroken = false;
  const { shows, ended, clock, isGivenBack } = dashboard({
    read: async () => ({ ...snapshot(), ...(isBroken && { members: undefined as never }) }),
  });
  await shows('Members 3');
  isBroken = true;
  const thrown = expect(ended).rejects.toThrow(TypeError);
  await clock.pass(250);
  await clock.pass(750);
  await thrown;
  await isGivenBack();
});

test('keys that come in one piece are drawn once, and a long paste is a line that can be edited', async () => {
  const { type, shows, drawn, acts, over, ended } = dashboard();
  await shows('Members 3');
  type(`s${'word '.repeat(300)}`);
  const once = await eventually(() => {
    const text = drawn();
    expect(text).toContain('To team-lead:');
    return text;
  });
  expect(once.split('To team-lead:')).toHaveLength(2);
  type(`\x1b[200~${'x'.repeat(200_000)} last\x1b[201~`);
  await shows('xxx last');
  type('\x17\x17and sent\r');
  await eventually(() => expect(acts).toHaveLength(1));
  expect(acts).toEqual([{ type: 'send', to: 'team-lead', text: `${'word '.repeat(300)}and sent` }]);
  over.abort();
  await ended;
});
