import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { cloneOfThisProject, isRunning, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const SCRIPT = `
agents:
  team-lead:
    - { when: { turn: 1 }, reply: "The lead is at work." }
    - reply: "Noted by the lead."
  planner:
    - when: { turn: 1 }
      reply: [{ tool: ExitPlanMode, input: { plan: "# The first plan" } }]
    - when: { user: "^Your plan was rejected" }
      reply: [{ tool: ExitPlanMode, input: { plan: "# The second plan" } }]
    - reply: "Noted by the planner."
  implementer:
    - reply: "Noted by the implementer."
  reviewer:
    - reply: "Noted by the reviewer."
`;

const Answer = z.looseObject({ by: z.string(), approve: z.boolean(), feedback: z.optional(z.string()) });

async function answerOf(stage: TmuxStage, id: string) {
  return eventually(async () => {
    const path = join(stage.home, 'teams', 'daily', 'requests', `${id}.answer.json`);
    return Answer.parse(JSON.parse(await readFile(path, 'utf8')));
  });
}

async function planOf(stage: TmuxStage): Promise<string> {
  return (await stage.until('planner', 'plan')).requestId ?? '';
}

const up = (stage: TmuxStage) =>
  stage.ok('up', 'feature', 'Say hello', '--name', 'daily', '--detach', '--backend', 'tmux');

test('a team of three on a clone of this project is marked, coloured and alive, obeys a second shell, and leaves nothing', async () => {
  await using stage = await tmuxStage(SCRIPT, cloneOfThisProject);
  const before = await stage.traces();
  const user = join(stage.env['HOME'] ?? '', '.claude');
  await mkdir(user, { recursive: true });
  const statusLine = { type: 'command', command: 'sed "s/.*\\"team\\":\\"\\([a-z]*\\).*/team \\1/"' };
  await writeFile(join(user, 'settings.json'), JSON.stringify({ statusLine }));
  await up(stage);

  const { state, members, lead } = await stage.status();
  expect({ state, lead: lead.alive, names: members.map(({ name }) => name).sort() }).toEqual({
    state: 'running',
    lead: true,
    names: ['implementer', 'planner', 'reviewer', 'team-lead'],
  });
  const marks = '#{pane_id} #{@troupe_team} #{@troupe_agent} #{pane_pid} #{pane_dead} #{pane-border-status}';
  expect((await stage.tmux('list-panes', '-a', '-F', marks)).split('\n').sort()).toEqual(
    members.map(({ pane, name, pid }) => `${pane} daily ${name} ${pid} 0 top`).sort(),
  );
  const colors = (await stage.tmux('list-panes', '-a', '-F', '#{@troupe_color}')).split('\n');
  expect(new Set(colors).size, colors.join()).toBe(4);
  expect(colors).not.toContain('default');
  await eventually(async () =>
    expect(await stage.tmux('show-options', '-q', '-v', '@troupe_status_0')).toMatch(/\]team daily$/),
  );

  const id = await planOf(stage);
  await stage.ok('approve', id, '--feedback', 'Keep it short');
  expect(await answerOf(stage, id)).toMatchObject({ by: 'user', approve: true, feedback: 'Keep it short' });
  await stage.until('planner', 'idle');
  expect(stage.heard('planner').at(-1)).toContain('Feedback: Keep it short');

  await stage.ok('send', 'implementer', 'hello from a second shell');
  await eventually(() => expect(stage.heard('implementer').join()).toContain('hello from a second shell'));
  await eventually(async () => expect(await stage.ok('peek', 'implementer')).toContain('Noted by the implementer.'));

  const reviewer = await stage.member('reviewer');
  await stage.ok('shutdown', 'reviewer');
  expect(await isRunning(reviewer.pid)).toBe(false);
  expect(await stage.tmux('list-panes', '-a', '-F', '#{pane_id}')).not.toContain(`${reviewer.pane}\n`);
  expect(await stage.member('reviewer')).toMatchObject({ state: 'exited', exit: { code: 0 } });

  await stage.ok('down');
  expect(await stage.traces()).toEqual(before);
  expect(await readdir(join(stage.home, 'teams'))).toEqual([]);
  expect(await readdir(join(stage.home, 'archive'))).toHaveLength(1);
});

test('what is typed into the lead’s pane reaches its model, and answers plans', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await up(stage);
  const first = await planOf(stage);

  await stage.type('team-lead', 'what a person says to the lead');
  await eventually(() => expect(stage.heard('team-lead').join()).toContain('what a person says to the lead'));

  await stage.type('team-lead', `/reject ${first.slice(0, 8)} too long by half`);
  expect(await answerOf(stage, first)).toMatchObject({ by: 'user', approve: false, feedback: 'too long by half' });
  const second = await eventually(async () => {
    const id = await planOf(stage);
    expect(id).not.toBe(first);
    return id;
  });
  expect(stage.heard('planner').at(-1)).toContain('too long by half');

  await stage.type('team-lead', `/approve ${second.slice(0, 8)}`);
  expect(await answerOf(stage, second)).toMatchObject({ by: 'user', approve: true });
  await stage.until('planner', 'idle');
  await stage.ok('down');
});
