import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { BIN } from '../helpers/program.js';
import { type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';
import { userServer } from '../helpers/userServer.js';

const NAMES = Array.from({ length: 8 }, (_, index) => `member-${index + 1}`);

const SCRIPT = `
agents:
  "*":
    - { when: { user: "fall over" }, fault: { status: 400 }, reply: "" }
    - when: { user: "tell the next" }
      reply: [{ tool: SendMessage, input: { to: member-2, summary: news, message: "news of the first" } }]
    - reply: "Noted."
`;

const EIGHT = `---
name: eight
description: Eight who wait.
members:
${NAMES.map((name) => `  - { name: ${name}, prompt: "You are ${name} and nobody else." }`).join('\n')}
---
Wait.
`;

const UP = ['up', 'eight', '--name', 'many'];

/** Both start the same shipped program; it answers to the same rules. */
const BACKENDS: readonly [name: string, up: (stage: TmuxStage) => Promise<unknown>][] = [
  ['tmux', (stage) => stage.ok(...UP, '--detach', '--backend', 'tmux')],
  [
    'in-process',
    async (stage) => {
      const user = await userServer(stage);
      await user.say(user.pane, [process.execPath, BIN, ...UP, '--backend', 'in-process']);
      await stage.untilUp('many');
    },
  ],
];

describe.each(BACKENDS)('the shipped runtime on the %s backend', (backend, up) => {
  let stage: TmuxStage;
  beforeAll(async () => {
    stage = await tmuxStage(SCRIPT);
    await stage.template('eight', EIGHT);
    await up(stage);
  });
  afterAll(async () => {
    await using _ = stage;
    await stage.ok('down');
    expect((await stage.traces()).sockets).toEqual(backend === 'tmux' ? [] : ['user']);
  });

  test('starts eight members at once, each with its own first message, its own session and no other’s mail', async () => {
    const members = await Promise.all(NAMES.map((name) => stage.until(name, 'idle')));
    expect(members.map((member) => member.backend)).toEqual(NAMES.map(() => backend));
    for (const name of NAMES) {
      const [first = '', ...others] = stage.heard(name);
      expect(first).toContain(`You are ${name} and nobody else.`);
      expect(others).toEqual([]);
    }
    await stage.tell('member-1', 'tell the next');
    await eventually(() => expect(stage.heard('member-2').at(-1)).toContain('news of the first'));
  });

  test('keeps a member apart from the fall and the end of another', async () => {
    for (const name of NAMES) await stage.until(name, 'idle');
    await stage.tell('member-1', 'fall over');
    await eventually(async () =>
      expect(JSON.stringify(await stage.events())).toMatch(/"idle"[^}]*member-1[^}]*failed/),
    );
    await stage.until('member-1', 'idle');
    expect(await stage.ok('shutdown', 'member-2')).toBe('member-2 has ended');
    expect(await stage.ok('shutdown', 'member-2')).toBe('member-2 was not running');
    expect(await stage.member('member-2')).toMatchObject({ state: 'exited', exit: { code: 0 } });
    const forced = await stage.ok('shutdown', 'member-3', '--force');
    expect(forced).toBe('member-3 was ended');
    expect(await stage.member('member-3')).toMatchObject({ state: 'terminated', exit: { forced: true } });
    for (const name of ['team-lead', 'member-1', ...NAMES.slice(3)]) await stage.until(name, 'idle');
    await stage.tell('member-4', 'still there?');
    await eventually(() => expect(stage.heard('member-4').at(-1)).toContain('still there?'));
  });
});
