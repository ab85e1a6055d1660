import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { hook, NOTE, project } from '../helpers/hooked.js';

const Told = z.looseObject({
  hook_event_name: z.string(),
  cwd: z.string(),
  agent_type: z.optional(z.string()),
  agent_id: z.optional(z.string()),
  teammate_name: z.optional(z.string()),
});

const bash = (command: string) => `{ tool: Bash, input: { command: "${command}" } }`;

const FOUR = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - ${bash('echo by the lead')}
        - { tool: Agent, input: { description: Look, prompt: Look., subagent_type: general-purpose } }
    - reply: Done.
  'team-lead/*':
    - when: { turn: 1 }
      reply: [${bash('echo by the sub-agent')}]
    - reply: Looked.
  bob:
    - when: { turn: 1 }
      reply: [${bash('echo by bob')}]
    - reply: Done.
  carol:
    - when: { turn: 1 }
      reply: [${bash('echo by carol')}]
    - reply: Done.
`;
const TEAM = `---
name: four
description: One here, one in a worktree.
members:
  - { name: bob, prompt: Echo. }
  - { name: carol, prompt: Echo., worktree: true }
---
Echo.
`;

test.concurrent.each(['in-process', 'tmux'])(
  'one PreToolUse hook of the project fires for lead, teammate, sub-agent and a teammate in a worktree (%s)',
  async (backend) => {
    await using team = await project(FOUR, { hooks: { PreToolUse: hook(NOTE, 'Bash') } });
    await addTemplate(team, 'four', TEAM);
    const { exitCode, stderr } = await runJson(team, 'four', '--trust', '--backend', backend);
    expect(exitCode, stderr).toBe(0);
    const told = (await team.lines()).map((line) =>
      z.looseObject({ ...Told.shape, tool_input: z.object({ command: z.string() }) }).parse(JSON.parse(line)),
    );
    const rows = told.map(({ tool_input, agent_type, agent_id, teammate_name, cwd }) => [
      tool_input.command,
      agent_type,
      teammate_name ?? '',
      agent_id === undefined ? '' : 'sub-agent',
      cwd === team.repo ? 'here' : 'worktree',
    ]);
    expect(rows.sort()).toEqual([
      ['echo by bob', 'general-purpose', 'bob', '', 'here'],
      ['echo by carol', 'general-purpose', 'carol', '', 'worktree'],
      ['echo by the lead', 'team-lead', '', '', 'here'],
      ['echo by the sub-agent', 'general-purpose', '', 'sub-agent', 'here'],
    ]);
  },
);

test.concurrent('the hooks of a project that is not trusted are left out, with one line', async () => {
  await using team = await project(FOUR, { hooks: { PreToolUse: hook(NOTE) } });
  const { stderr, exitCode } = await runJson(team, 'Echo.');
  expect(exitCode).toBe(0);
  expect(stderr.match(/do not count until the folder is trusted/g)).toHaveLength(1);
  expect(await team.lines()).toEqual([]);
});

test.concurrent('a hook whose form is wrong is an error that names file and key, and nothing starts', async () => {
  await using team = await project(FOUR, { hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } });
  const { stderr, exitCode } = await team.troupe(['run', 'Echo.', '--trust']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    `${join(team.repo, '.claude', 'settings.json')}: "hooks.Stop.0.hooks.0.command" must be text.`,
  );
  expect(existsSync(join(team.home, 'sessions'))).toBe(false);
});

const ONE_CALL = (command: string) => `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [${bash(command)}]
    - reply: Done.
`;

test.concurrent('exit code 2 of a PreToolUse hook keeps a call from being run, even one that a rule allows, and the model reads why', async () => {
  await using team = await project(ONE_CALL('touch made'), {
    permissions: { allow: ['Bash'] },
    hooks: { PreToolUse: hook('echo Nothing is touched here. >&2; exit 2', 'Bash') },
  });
  const { result } = await runJson(team, 'Touch.', '--trust');
  expect(existsSync(join(team.repo, 'made'))).toBe(false);
  expect(result.permission_denials).toMatchObject([{ tool_name: 'Bash', tool_input: { command: 'touch made' } }]);
  expect(heardBy(team, 'team-lead').at(-1)).toContain('Nothing is touched here.');
});

const decide = (decision: object) =>
  hook(`echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } })}'`, 'Bash');
const ALLOW = decide({ permissionDecision: 'allow' });

test.concurrent.each([
  ['a call that would be asked for', 'touch made', {}, [], true],
  ['a compound command', 'mkdir -p x && touch made', {}, [], true],
  ['no call that a deny rule names', 'touch made', { deny: ['Bash(touch *)'] }, [], false],
  ['no call that an ask rule names', 'touch made', { ask: ['Bash(touch *)'] }, [], false],
  ['nothing that writes in plan mode', 'touch made', {}, ['--permission-mode', 'plan'], false],
])('a hook that allows lets through %s', async (_, command, permissions, flags, isMade) => {
  await using team = await project(ONE_CALL(command), { permissions, hooks: { PreToolUse: ALLOW } });
  await runJson(team, 'Touch.', '--trust', ...flags);
  expect(existsSync(join(team.repo, 'made'))).toBe(isMade);
});

test.concurrent('a hook that asks has a call asked for that would be allowed', async () => {
  await using team = await project(ONE_CALL('touch made'), {
    permissions: { allow: ['Bash'] },
    hooks: { PreToolUse: decide({ permissionDecision: 'ask' }) },
  });
  await runJson(team, 'Touch.', '--trust');
  expect(existsSync(join(team.repo, 'made'))).toBe(false);
});

test.concurrent('a hook may change a call, which is judged as it is then', async () => {
  const changed = (command: string) => ({
    permissions: { allow: ['Bash'], deny: ['Bash(touch bad)'] },
    hooks: { PreToolUse: decide({ updatedInput: { command } }) },
  });
  await using good = await project(ONE_CALL('touch made'), changed('touch other'));
  await runJson(good, 'Touch.', '--trust');
  expect(['made', 'other'].map((file) => existsSync(join(good.repo, file)))).toEqual([false, true]);
  await using bad = await project(ONE_CALL('touch made'), changed('touch bad'));
  await runJson(bad, 'Touch.', '--trust');
  expect(existsSync(join(bad.repo, 'bad'))).toBe(false);
});

test.concurrent('a PermissionRequest hook answers where nobody else can, once for all calls where it adds a rule', async () => {
  const updatedPermissions = [{ behavior: 'allow', rule: 'Bash(touch *)' }];
  const decision = { behavior: 'allow', updatedPermissions };
  const answer = `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })}'`;
  await using team = await project(
    `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [${bash('touch made')}, ${bash('touch other')}]
    - reply: Done.
`,
    { hooks: { PermissionRequest: hook(`${NOTE}; ${answer}`, 'Bash') } },
  );
  const { result } = await runJson(team, 'Touch.', '--trust');
  expect(['made', 'other'].map((file) => existsSync(join(team.repo, file)))).toEqual([true, true]);
  expect(await team.lines()).toHaveLength(1);
  expect(result.permission_denials).toEqual([]);
});

test.concurrent('what a PostToolUse hook says stands behind the result; one of a failure is another event; a SessionStart hook sets variables', async () => {
  await using team = await project(
    `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [${bash('echo fine $FROM_START')}, ${bash('false')}]
    - reply: Done.
`,
    {
      hooks: {
        SessionStart: hook(`echo 'export FROM_START="by day"' >> "$CLAUDE_ENV_FILE"`),
        PostToolUse: hook('echo Well done. >&2; exit 2'),
        PostToolUseFailure: hook('echo Too bad. >&2; exit 2'),
      },
    },
  );
  await runJson(team, 'Echo.', '--trust', '--allowed-tools', 'Bash');
  const heard = heardBy(team, 'team-lead').at(-1);
  expect(heard).toMatch(/fine by day\\n\\n<hook>\\nWell done\.\\n<\/hook>/);
  expect(heard).toMatch(/Exit code 1\\n\\n<hook>\\nToo bad\.\\n<\/hook>/);
});

test.concurrent('a Stop hook that blocks has the agent go on, at most eight times in a row', async () => {
  await using team = await project('agents: { team-lead: [{ reply: Done. }] }', {
    hooks: { Stop: hook('echo Not yet. >&2; exit 2') },
  });
  const { result, stderr } = await runJson(team, 'Work.', '--trust');
  expect(result.num_turns).toBe(9);
  expect(heardBy(team, 'team-lead').at(-1)).toContain('Not yet.');
  expect(stderr).toContain('ends its turn although a hook goes on saying: Not yet.');
});

test.concurrent('a Stop hook of the type prompt has the small model decide, and its words are the reason', async () => {
  await using team = await project(
    `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: Done.
    - reply: Really done.
  'team-lead/*':
    - when: { user: 'stop_hook_active.:false' }
      reply: '{"ok": false, "reason": "The tests were not run."}'
    - reply: '{"ok": true}'
`,
    { hooks: { Stop: [{ hooks: [{ type: 'prompt', prompt: 'Were the tests run? $ARGUMENTS' }] }] } },
  );
  const { result } = await runJson(team, 'Work.', '--trust');
  expect(result.result).toBe('Really done.');
  expect(heardBy(team, 'team-lead').join()).toContain('The tests were not run.');
  expect(heardBy(team, 'team-lead/hook')[0]).toMatch(/Were the tests run\? .*last_assistant_message/);
});

test.concurrent('a Stop hook knows whether it was asked before', async () => {
  const once = 'if grep -q "stop_hook_active.:false"; then echo Once more. >&2; exit 2; fi';
  await using team = await project('agents: { team-lead: [{ reply: Done. }] }', { hooks: { Stop: hook(once) } });
  expect((await runJson(team, 'Work.', '--trust')).result.num_turns).toBe(2);
});

test.concurrent('hooks add to the beginning of a session and then to the first prompt, and hear of the end', async () => {
  await using team = await project('agents: { team-lead: [{ reply: Done. }] }', {
    hooks: {
      // Of what it is told, the transcript can be read from the first moment on.
      SessionStart: hook(
        `said=$(cat); [ -r "$(echo "$said" | sed 's/.*"transcript_path":"\\([^"]*\\)".*/\\1/')" ] && echo "$said" >> "$CLAUDE_PROJECT_DIR/../told"; echo Today is Monday.`,
        'startup',
      ),
      UserPromptSubmit: hook(`${NOTE}; echo The branch is main.`),
      SessionEnd: hook(NOTE, 'other'),
    },
  });
  await runJson(team, 'Work hard.', '--trust');
  const [heard = ''] = heardBy(team, 'team-lead');
  expect(heard).toContain('Today is Monday.');
  expect(heard).toMatch(/Work hard\..*The branch is main\./);
  const told = (await team.lines()).map((line) => JSON.parse(line));
  expect(told).toMatchObject([
    { hook_event_name: 'SessionStart', source: 'startup' },
    { hook_event_name: 'UserPromptSubmit', prompt: 'Work hard.', permission_mode: 'default' },
    { hook_event_name: 'SessionEnd', reason: 'other' },
  ]);
  expect(await readFile(told[0].transcript_path, 'utf8')).toContain('Work hard.');
});

test.concurrent('a prompt that a hook blocks is not read, and the person is told why', async () => {
  await using team = await project('agents: { team-lead: [{ reply: Done. }] }', {
    hooks: { UserPromptSubmit: hook('echo Not today. >&2; exit 2') },
  });
  const { stderr } = await runJson(team, 'Work.', '--trust');
  expect(heardBy(team, 'team-lead')).toEqual([]);
  expect(stderr).toContain('A hook keeps your message from team-lead: Not today.');
});

test.concurrent('a hook that breaks is one line, and the run goes on', async () => {
  await using team = await project(ONE_CALL('echo fine'), {
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: '/no/such/program', args: [] }] }] },
  });
  const { stderr, exitCode, result } = await runJson(team, 'Echo.', '--trust', '--allowed-tools', 'Bash');
  expect({ exitCode, result: result.result }).toEqual({ exitCode: 0, result: 'Done.' });
  expect(stderr.match(/The PreToolUse hook \/no\/such\/program .* broke/g)).toHaveLength(1);
});

test.concurrent('continue false ends the turn behind the calls', async () => {
  await using team = await project(ONE_CALL('echo fine'), {
    hooks: { PostToolUse: hook(`echo '{"continue": false, "stopReason": "That is enough."}'`) },
  });
  const { stderr, exitCode, result } = await runJson(team, 'Echo.', '--trust', '--allowed-tools', 'Bash');
  expect({ exitCode, turns: result.num_turns }).toEqual({ exitCode: 0, turns: 1 });
  expect(stderr).toContain('A hook ended the turn: That is enough.');
});

test.concurrent('disableAllHooks switches all of them off', async () => {
  const settings = { hooks: { PreToolUse: hook(NOTE) } };
  await using team = await project(ONE_CALL('echo fine'), settings, { local: { disableAllHooks: true } });
  await runJson(team, 'Echo.', '--trust', '--allowed-tools', 'Bash');
  expect(await team.lines()).toEqual([]);
});
