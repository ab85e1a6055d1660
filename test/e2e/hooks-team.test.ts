import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { hook, NOTE, project } from '../helpers/hooked.js';

const bash = (command: string) => `{ tool: Bash, input: { command: "${command}" } }`;
const withBob = (more = '', tasks = '') =>
  `---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Work.${more} }]\n${tasks}---\nWait.\n`;
/** Only the first time. */
const ONCE = 'if [ ! -e "$CLAUDE_PROJECT_DIR/../once" ]; then touch "$CLAUDE_PROJECT_DIR/../once";';

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

test('exit code 2 of a TeammateIdle hook has the teammate work on; the lead hears of it once', async () => {
  await using team = await project(
    `
agents:
  team-lead: [{ reply: Noted. }]
  bob: [{ when: { turn: 1 }, reply: Half done. }, { reply: All done. }]
`,
    { hooks: { TeammateIdle: hook(`${NOTE}; ${ONCE} echo Do the rest. >&2; exit 2; fi`) } },
  );
  await addTemplate(team, 'pair', withBob());
  const { result, exitCode, stderr } = await runJson(team, 'pair', '--trust');
  expect(exitCode, stderr).toBe(0);
  expect(result.members.find(({ name }) => name === 'bob')).toMatchObject({ turns: 2, lastReport: 'All done.' });
  expect(heardBy(team, 'bob').at(-1)).toContain('Do the rest.');
  expect(heardBy(team, 'team-lead').at(-1)).not.toContain('Half done.');
  const told = (await team.lines()).map((line) => JSON.parse(line));
  expect(told).toMatchObject(Array(2).fill({ hook_event_name: 'TeammateIdle', teammate_name: 'bob' }));
  expect(told[0].team_name).toBe(result.team);
});

test('continue false of a TeammateIdle hook ends the teammate', async () => {
  await using team = await project('agents: { team-lead: [{ reply: Noted. }], bob: [{ reply: Done. }] }', {
    hooks: { TeammateIdle: hook(`echo '{"continue": false, "stopReason": "No more."}'`) },
  });
  await addTemplate(team, 'pair', withBob());
  const { result, stderr } = await runJson(team, 'pair', '--trust');
  expect(result.members.find(({ name }) => name === 'bob')).toMatchObject({ state: 'exited' });
  expect(stderr).toContain('A hook ends bob: No more.');
});

test('a task that a hook refuses is not there, and one that it does not find done is not completed', async () => {
  const create = (subject: string) => `{ tool: TaskCreate, input: { subject: ${subject}, description: x } }`;
  await using team = await project(
    `
agents:
  team-lead:
    - { when: { turn: 1 }, reply: [${create('Vague')}, ${create('Clear')}] }
    - { when: { turn: 2 }, reply: [{ tool: TaskUpdate, input: { taskId: "2", status: completed } }] }
    - reply: Done.
`,
    {
      hooks: {
        TaskCreated: hook(
          `${NOTE}; if grep -q '"task_id":"1"' "$CLAUDE_PROJECT_DIR/../told" && ! grep -q '"task_id":"2"' "$CLAUDE_PROJECT_DIR/../told"; then echo Too vague. >&2; exit 2; fi`,
        ),
        TaskCompleted: hook('echo The tests fail. >&2; exit 2'),
      },
    },
  );
  const { result } = await runJson(team, 'Plan.', '--trust');
  expect(result.tasks).toMatchObject([{ id: '2', subject: 'Clear', status: 'pending' }]);
  const heard = heardBy(team, 'team-lead').at(-1);
  expect(heard).toContain('The task was not created: Too vague.');
  expect(heard).toContain('Task 2 is not marked as completed: The tests fail.');
  expect(JSON.parse((await team.lines())[0] ?? '')).toMatchObject({ task_subject: 'Vague', task_description: 'x' });
});

test('a turn of a teammate that ends with a task in progress is held against TaskCompleted hooks', async () => {
  await using team = await project(
    `
agents:
  team-lead: [{ reply: Noted. }]
  bob:
    - { when: { turn: 1 }, reply: [{ tool: TaskUpdate, input: { taskId: "1", status: in_progress } }] }
    - { when: { turn: 2 }, reply: Enough. }
    - { when: { turn: 3 }, reply: [{ tool: TaskUpdate, input: { taskId: "1", status: completed } }] }
    - reply: Done.
`,
    { hooks: { TaskCompleted: hook(`${NOTE}; ${ONCE} echo Write the test too. >&2; exit 2; fi`) } },
  );
  await addTemplate(team, 'pair', withBob('', 'tasks: [{ subject: Work, description: x, owner: bob }]\n'));
  const { result } = await runJson(team, 'pair', '--trust');
  expect(heardBy(team, 'bob').at(-1)).toContain('Task 1 is not done: Write the test too.');
  expect(result.tasks).toMatchObject([{ status: 'completed' }]);
  const told = (await team.lines()).map((line) => JSON.parse(line));
  expect(told).toMatchObject(Array(2).fill({ task_id: '1', task_subject: 'Work', task_description: 'x' }));
});

test('a plugin’s hooks know its folder, and count in a folder that is not trusted', async () => {
  await using team = await project('agents: { team-lead: [{ reply: Done. }] }', {});
  const plugin = join(team.folder, 'watcher');
  const command = 'touch "$CLAUDE_PLUGIN_ROOT/seen"';
  await write(join(plugin, 'hooks', 'hooks.json'), JSON.stringify({ hooks: { Stop: hook(command) } }));
  const { exitCode, stderr } = await runJson(team, 'Work.', '--plugin-dir', plugin);
  expect(exitCode, stderr).toBe(0);
  expect(existsSync(join(plugin, 'seen'))).toBe(true);
});

test('with strictPluginOnlyCustomization only plugins bring hooks, and one line says what is left out', async () => {
  await using team = await project(
    'agents: { team-lead: [{ reply: Done. }] }',
    { hooks: { Stop: hook(NOTE) } },
    {
      local: { strictPluginOnlyCustomization: true },
    },
  );
  const { stderr } = await runJson(team, 'Work.', '--trust');
  expect(await team.lines()).toEqual([]);
  expect(stderr).toContain('its hooks do not count: only plugins may bring them');
});

const OWN = ['UserPromptSubmit', 'PreToolUse', 'Stop', 'TeammateIdle'];

test('the hooks of an agent definition are for the teammate that is one', async () => {
  const script = `
agents:
  team-lead: [{ when: { turn: 1 }, reply: [${bash('echo lead')}] }, { reply: Noted. }]
  bob: [{ when: { turn: 1 }, reply: [${bash('echo bob')}] }, { reply: Done. }]
`;
  await using team = await project(script, {});
  const definition = [
    '---',
    'name: careful',
    'description: x',
    `hooks: ${JSON.stringify(Object.fromEntries(OWN.map((event) => [event, hook(NOTE)])))}`,
    '---',
    'You are careful.',
  ].join('\n');
  await write(join(team.env['HOME'] ?? '', '.claude', 'agents', 'careful.md'), definition);
  await addTemplate(team, 'pair', withBob(' , agent: careful'));
  const { exitCode, stderr } = await runJson(team, 'pair', '--trust');
  expect(exitCode, stderr).toBe(0);
  const told = (await team.lines()).map((line) => JSON.parse(line));
  expect(told.map(({ hook_event_name, agent_type }) => [hook_event_name, agent_type])).toEqual(
    OWN.map((event) => [event, 'careful']),
  );
});

const MAKE =
  'dir="$CLAUDE_PROJECT_DIR/../trees/x$$"; mkdir -p "$dir"; echo "$dir"; echo made >> "$CLAUDE_PROJECT_DIR/../told"';
const REMOVE = `dir=$(sed 's/.*"worktree_path":"\\([^"]*\\)".*/\\1/'); rmdir "$dir"; echo "removed $?" >> "$CLAUDE_PROJECT_DIR/../told"`;
const TREES = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: Look, prompt: Look., isolation: worktree } }]
    - reply: Done.
  'team-lead/*': [{ reply: Looked. }]
  bob: [{ when: { turn: 1 }, reply: [${bash('pwd')}] }, { reply: Done. }]
`;

test('worktrees of teammates and sub-agents are made by a WorktreeCreate hook, and go through WorktreeRemove', async () => {
  await using team = await project(TREES, { hooks: { WorktreeCreate: hook(MAKE), WorktreeRemove: hook(REMOVE) } });
  await addTemplate(team, 'pair', withBob(', worktree: true'));
  const { exitCode, stderr, result } = await runJson(team, 'pair', '--trust');
  expect(exitCode, stderr).toBe(0);
  expect(result.worktrees).toEqual([]);
  expect(heardBy(team, 'bob').at(-1)).toContain('/trees/x');
  expect((await team.lines()).sort()).toEqual(['made', 'made', 'removed 0', 'removed 0']);
  expect(existsSync(join(team.repo, '.claude', 'worktrees'))).toBe(false);
});

test('a WorktreeCreate hook that fails, with whatever code, is an error of the start, with its words', async () => {
  await using team = await project(TREES, { hooks: { WorktreeCreate: hook('echo No room. >&2; exit 1') } });
  await addTemplate(team, 'pair', withBob(', worktree: true'));
  const { exitCode, stderr } = await team.troupe(['run', 'pair', '--trust']);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('the WorktreeCreate hook ended with 1: No room.');
});

test('without a WorktreeRemove hook a worktree that a hook made is kept and named', async () => {
  await using team = await project(TREES, { hooks: { WorktreeCreate: hook(MAKE) } });
  await addTemplate(team, 'pair', withBob(', worktree: true'));
  const { result } = await runJson(team, 'pair', '--trust');
  expect(result.worktrees).toMatchObject([{ member: 'bob' }]);
  expect(JSON.stringify(result.worktrees)).toContain('there is no WorktreeRemove hook');
});
