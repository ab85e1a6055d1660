import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { CommandName } from '../../src/cli/commands/index.js';
import type { RunResult } from '../../src/host/run.js';
import { eventually } from '../helpers/eventually.js';
import { commitIn } from '../helpers/gitRepo.js';
import { live } from '../helpers/headless.js';
import { mcpJson, oddServer } from '../helpers/mcp.js';
import { Event, Json, Message, Named, Request, Task, Team } from '../helpers/shapes.js';
import { STARTS_WITHIN, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';
import { parsedPage } from '../report/page/parsed.js';

const SCRIPT = `
agents:
  team-lead: [{ reply: Noted by the lead. }]
  bob:
    - when: { user: 'touch (?<file>[\\w-]+)' }
      capture: { file: { from: user, match: 'touch ([\\w-]+)' } }
      reply: [{ tool: Bash, input: { command: 'touch {{file}}' } }]
    - when: { user: 'say (?<words>.*)' }
      reply: [{ tool: SendMessage, input: { to: team-lead, message: From bob., summary: a word } }]
    - reply: Noted by bob.
  ann:
    - when: { user: 'draft' }
      reply: [{ tool: ExitPlanMode, input: { plan: 'Dig here.' } }]
    - reply: Noted by ann.
  '*': [{ reply: Noted. }]
`;

const TRIO = `---
name: trio
description: Three who wait for words.
members:
  - { name: bob, permissionMode: default }
  - { name: ann, plan: true }
---
Wait.
`;

/** Commands in the order in which they are tried: one team lives through all of them. */
type Case = (team: TmuxStage) => Promise<unknown>;

async function waiting(team: TmuxStage, command: 'plans' | 'permissions'): Promise<string> {
  const kind = command === 'plans' ? 'plan' : 'permission';
  await eventually(async () => expect(await team.asked(kind)).toHaveLength(1), STARTS_WITHIN);
  const [request] = Json(z.array(Request))(await team.ok(command, '--json'));
  return request?.id ?? expect.fail(`none of ${command} waits`);
}

async function refused(team: TmuxStage, args: readonly string[], words: RegExp, code = 2): Promise<RunResult> {
  const ended = await team.troupe(args);
  expect(ended.stderr).toMatch(words);
  expect(ended.exitCode).toBe(code);
  return ended;
}

const CASES: Readonly<Record<CommandName, Case>> = {
  templates: async (team) => {
    const all = Json(
      z.array(z.looseObject({ name: z.string(), source: z.string(), file: z.string(), description: z.string() })),
    );
    expect(
      all(await team.ok('templates', '--json'))
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['debug', 'feature', 'refactor', 'research', 'review', 'trio']);
    expect(await team.ok('templates', 'show', 'trio')).toBe(TRIO.trimEnd());
    const { path } = Json(z.object({ path: z.string() }))(await team.ok('templates', 'init', 'review', '--json'));
    expect(await readFile(path, 'utf8')).toContain('name: review');
    expect(await team.ok('templates', 'check')).toBe('All is well.');
  },
  mcp: async (team) => {
    const file = join(team.env['HOME'] ?? '', '.claude.json');
    await writeFile(file, mcpJson({ odd: oddServer(), ends: oddServer('exit=7') }));
    const listing = Json(
      z.object({ servers: z.array(z.looseObject({ name: z.string() })), problems: z.array(z.string()) }),
    );
    const { servers, problems } = listing(await team.ok('mcp', '--json'));
    expect(servers).toEqual([
      { name: 'odd', type: 'stdio', state: 'connected', source: 'user', file, tools: ['mcp__odd__echo'] },
      expect.objectContaining({
        name: 'ends',
        state: 'failed',
        problem: expect.stringMatching(/exit code 7/),
        tools: [],
      }),
    ]);
    expect(problems).toEqual([expect.stringMatching(/^The MCP server "ends" cannot be used/)]);
    expect(await team.ok('mcp')).toMatch(/^odd +stdio +connected +user +echo$/m);
    await rm(file);
  },
  agents: async (team) => {
    const listing = Json(
      z.looseObject({
        agents: z.array(Named),
        skipped: z.array(z.unknown()),
        overridden: z.array(z.unknown()),
        warnings: z.array(z.string()),
      }),
    );
    expect(listing(await team.ok('agents', '--json')).agents.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['general-purpose', 'Explore', 'Plan']),
    );
    expect(await team.ok('agents', 'show', 'Plan')).toContain('"agentType": "Plan"');
    expect(await team.ok('agents', 'check')).toBe('All is well.');
  },
  skills: async (team) => {
    const folder = join(team.env['HOME'] ?? '', '.claude', 'skills');
    await mkdir(join(folder, 'tidy'), { recursive: true });
    await writeFile(join(folder, 'tidy', 'SKILL.md'), '---\nname: tidy\ndescription: Tidies up.\n---\nTidy.\n');
    await writeFile(join(folder, 'flat.md'), 'x');
    const listing = Json(
      z.looseObject({ skills: z.array(Named), skipped: z.array(z.looseObject({ file: z.string() })) }),
    );
    const { skills, skipped } = listing(await team.ok('skills', '--json'));
    expect(skills).toMatchObject([{ name: 'tidy', source: 'user', for: 'all', description: 'Tidies up.' }]);
    expect(skipped.map(({ file }) => file)).toEqual([join(folder, 'flat.md')]);
    expect(await team.ok('skills')).toMatch(/^tidy +user +Tidies up\.$/);
    await rm(folder, { recursive: true });
  },
  trust: async (team) => {
    expect(JSON.parse(await team.ok('trust', '--json'))).toEqual({ folder: team.repo, trusted: true });
    expect(JSON.parse(await team.ok('trust', '--list', '--json'))).toEqual([team.repo]);
    expect(JSON.parse(await team.ok('trust', '--remove', '--json'))).toEqual({ folder: team.repo, trusted: false });
    expect(JSON.parse(await team.ok('trust', '--list', '--json'))).toEqual([]);
  },
  completion: async (team) => {
    for (const shell of ['bash', 'zsh', 'fish']) expect(await team.ok('completion', shell)).toMatch(/\bstatus\b/);
    expect(await team.ok('completion', 'bash')).not.toContain('send-many');
  },
  doctor: async (team) => {
    const findings = Json(z.array(z.looseObject({ what: z.string(), ok: z.boolean(), detail: z.string() })));
    const { stdout } = await team.troupe(['doctor', '--json']);
    expect(findings(stdout).map(({ what }) => what)).toEqual(expect.arrayContaining(['node', 'tmux', 'git']));
  },
  up: async (team) => {
    const { team: name } = Json(z.looseObject({ team: z.string(), attach: z.string() }))(
      await team.ok('up', 'trio', '--detach', '--json'),
    );
    expect(name).toBe('trio');
    await team.until('bob', 'idle');
  },
  ls: async (team) => {
    const [only, ...others] = Json(z.array(Team))(await team.ok('ls', '--json'));
    expect(others).toEqual([]);
    expect(only).toMatchObject({ name: 'trio', state: 'running' });
    expect(await team.ok('ls')).toMatch(/^trio +running +3 members +trio$/);
  },
  status: async (team) => {
    expect(await team.status()).toMatchObject({ state: 'running', lead: { alive: true } });
    expect(JSON.parse(await team.ok('status', '--json'))).toMatchObject({
      team: 'trio',
      tasks: { pending: 0, in_progress: 0, completed: 0 },
    });
    expect(await team.ok('status', 'trio')).toContain('bob');
    expect(await team.ok('status', '-q')).toMatch(/^trio: .*tasks$/);
  },
  wait: async (team) => {
    const waited = Json(z.array(z.looseObject({ name: z.string(), state: z.string(), came: z.boolean() })));
    expect(waited(await team.ok('wait', 'bob', 'ann', '--json'))).toEqual([
      { name: 'bob', state: 'idle', came: true },
      { name: 'ann', state: 'idle', came: true },
    ]);
    expect(await team.ok('wait', '--for', 'done')).toBe('bob: idle\nann: idle');
    await refused(team, ['wait', 'bob', '--for', 'dead', '--timeout', '10ms'], /Not dead in time\./, 124);
    await refused(team, ['wait', 'bobb'], /No member "bobb" in trio\. Did you mean "bob"\?/);
  },
  worktrees: async (team) => {
    expect(JSON.parse(await team.ok('worktrees', '--json'))).toEqual([]);
    expect(await team.ok('worktrees')).toBe('No worktrees.');
    expect(JSON.parse(await team.ok('worktrees', 'prune', '--dry-run', '--json'))).toEqual([]);
  },
  send: async (team) => {
    const { msg_id } = Json(z.strictObject({ msg_id: z.string() }))(
      await team.ok('send', 'bob', 'Good', 'day.', '--json'),
    );
    expect(await team.ok('send', 'lead', 'And', 'you?', '--summary', 'a greeting', '--reply-to', msg_id)).toMatch(
      /^[0-9a-f-]{36}$/,
    );
    await eventually(() => expect(team.heard('bob').at(-1)).toContain('Good day.'));
    const { exitCode, stderr } = await team.troupe(['send', 'bob', '-'], { input: 'From a pipe.' });
    expect(exitCode, stderr).toBe(0);
    await eventually(() => expect(team.heard('bob').at(-1)).toContain('From a pipe.'));
    await team.ok('send', '*', 'To all.');
    await eventually(() => expect(team.heard('ann').at(-1)).toContain('To all.'));
  },
  inbox: async (team) => {
    const messages = Json(z.array(Message))(await team.ok('inbox', 'bob', '--json'));
    expect(messages.map(({ from, text }) => `${from}: ${text}`)).toEqual([
      'user: Good day.',
      'user: From a pipe.',
      'user: To all.',
    ]);
    expect(await team.ok('inbox', 'bob')).toContain('Good day.');
    Json(z.array(Message))(await team.ok('inbox', '--unread', '--json'));
    await using follow = await live(team, ['inbox', 'bob', '--follow', '--json'], team.repo);
    await eventually(() => expect(follow.stdout().trim().split('\n').map(Json(Message))).toHaveLength(3));
    process.kill(follow.pid, 'SIGINT');
    expect((await follow.ended()).exitCode).toBe(0);
  },
  tasks: async (team) => {
    const one = Json(Task);
    expect(one(await team.ok('tasks', 'add', 'Dig', 'deep', '--description', 'Here.', '--json'))).toMatchObject({
      id: '1',
      subject: 'Dig deep',
    });
    expect(await team.ok('tasks', 'add', 'Fill', '--after', '1')).toBe('2');
    expect(await team.ok('tasks', 'add', 'Rest')).toBe('3');
    one(await team.ok('tasks', 'block', '3', '--by', '1,2', '--json'));
    expect(one(await team.ok('tasks', 'show', '3', '--json')).blockedBy).toEqual(['1', '2']);
    expect(JSON.parse(await team.ok('tasks', 'rm', '3', '--json'))).toEqual({ id: '3', removed: true });
    expect(one(await team.ok('tasks', 'done', '1', '--json')).status).toBe('completed');
    expect(one(await team.ok('tasks', 'done', '2', '--json')).status).toBe('completed');
    expect(Json(z.array(Task))(await team.ok('tasks', '--json')).map(({ id }) => id)).toEqual(['1', '2']);
    expect(await team.ok('tasks', 'ls')).toContain('Dig deep');
    await refused(team, ['tasks', 'claim', '1', '--owner', 'bob'], /completed/);
  },
  peek: async (team) => {
    await eventually(async () => expect(await team.ok('peek', 'bob')).toContain('Noted by bob.'));
    expect(Json(z.array(z.string()))(await team.ok('peek', 'bob', '-n', '1', '--json'))).toHaveLength(1);
    await using follow = await live(team, ['peek', 'bob', '--follow', '--json'], team.repo);
    await eventually(() => expect(follow.stdout()).toContain('Good day.'));
    process.kill(follow.pid, 'SIGTERM');
    expect((await follow.ended()).exitCode).toBe(0);
  },
  permissions: async (team) => {
    expect(JSON.parse(await team.ok('permissions', '--json'))).toEqual([]);
    expect(await team.ok('permissions')).toBe('No request waits.');
    await team.tell('bob', 'touch one');
    const id = await waiting(team, 'permissions');
    expect(await team.ok('permissions')).toMatch(new RegExp(`^${id} bob: .*touch one`));
    expect(await team.ok('permissions', id.slice(0, 30))).toMatch(new RegExp(`^${id} bob: .*touch one`));
  },
  allow: async (team) => {
    const id = await waiting(team, 'permissions');
    expect(JSON.parse(await team.ok('allow', id.slice(0, 8), '--json'))).toEqual({ id, allow: true, always: false });
    await eventually(() => readFile(join(team.repo, 'one')));
    await refused(team, ['allow', id], /was approved already, by user/);
    await team.until('bob', 'idle');
  },
  deny: async (team) => {
    await team.tell('bob', 'touch two');
    const id = await waiting(team, 'permissions');
    expect(JSON.parse(await team.ok('deny', id, 'not', 'now', '--json'))).toEqual({ id, allow: false });
    await eventually(() => expect(team.heard('bob').at(-1)).toContain('not now'));
    await team.until('bob', 'idle');
  },
  plans: async (team) => {
    expect(await team.ok('plans')).toBe('No plan waits.');
    await team.tell('ann', 'draft');
    const id = await waiting(team, 'plans');
    expect(await team.ok('plans')).toBe(`${id} from ann\n    Dig here.`);
  },
  reject: async (team) => {
    const id = await waiting(team, 'plans');
    await refused(team, ['reject', id], /Required option '--feedback <text>'/);
    expect(JSON.parse(await team.ok('reject', id, '--feedback', 'Deeper.', '--json'))).toEqual({ id, approve: false });
    await eventually(() => expect(team.heard('ann').some((request) => request.includes('Deeper.'))).toBe(true));
  },
  approve: async (team) => {
    await team.tell('ann', 'draft again');
    const id = await waiting(team, 'plans');
    expect(JSON.parse(await team.ok('approve', id, '--feedback', 'Well done.', '--json'))).toEqual({
      id,
      approve: true,
    });
    await eventually(() => expect(team.heard('ann').some((request) => request.includes('Well done.'))).toBe(true));
    await team.until('ann', 'idle');
  },
  add: async (team) => {
    const added = Json(Named)(
      await team.ok(
        'add',
        'carol',
        '--worktree',
        '--prompt',
        'Hello.',
        '--model',
        'haiku',
        '--color',
        'pink',
        '--json',
      ),
    );
    expect(added).toMatchObject({ name: 'carol', color: 'pink', backendType: 'tmux', agentId: 'carol@trio' });
    await eventually(() => expect(team.heard('carol')).toHaveLength(1));
    await refused(team, ['add', 'carol'], /living member "carol"/);
  },
  restart: async (team) => {
    const { pid } = await team.member('carol');
    expect(await team.ok('restart', 'carol')).toMatch(/^carol is ready again in %\d+\.$/);
    expect((await team.member('carol')).pid).not.toBe(pid);
  },
  diff: async (team) => {
    const { worktree = '' } = await team.until('carol', 'idle');
    await commitIn(worktree, 'carol.txt', 'from carol\n');
    await writeFile(join(worktree, 'draft.txt'), 'draft\x1b[31m\n');
    const diffs = Json(z.array(z.looseObject({ member: z.string(), committed: z.array(z.unknown()) })));
    expect(diffs(await team.ok('diff', '--json'))).toMatchObject([
      {
        member: 'carol',
        committed: [{ path: 'carol.txt', how: 'added' }],
        uncommitted: [{ path: 'draft.txt', how: 'untracked' }],
      },
    ]);
    expect(await team.ok('diff', 'carol')).toMatch(
      /^# carol: 1 commit since [0-9a-f]{10} on troupe\/\S+\ndiff --git .*^\+from carol\n# carol: not committed: draft\.txt \(untracked\)\ndiff --git .*^\+draft/ms,
    );
    const env = { ...team.env, FORCE_COLOR: '1' };
    expect((await team.troupe(['diff', 'carol'], { env })).stdout).toContain('\x1b[32m+from carol\x1b[39m');
    expect(await team.ok('diff', 'carol', '--stat')).toMatch(/^ carol\.txt \| 1 \+$/m);
    const names = await team.troupe(['diff', 'carol', '--name-only']);
    expect(names.stdout).toBe('carol.txt\ndraft.txt');
    expect(names.stderr).toBe('carol has not committed: draft.txt (untracked)');
    await refused(
      team,
      ['diff', 'bob'],
      /^troupe: bob has no worktree of its own\. bob works in .*; look with: git -C /,
    );
  },
  merge: async (team) => {
    await refused(team, ['merge', 'carol'], /Not committed, so it would not be merged: draft\.txt\. Next: /, 1);
    const dry = await team.troupe(['merge', 'carol', '--dry-run']);
    expect(dry.stdout).toMatch(
      /^1 commit of carol would go into \w+:\n {2}A carol\.txt\nNo conflicts\.\nNot committed/,
    );
    expect(dry.exitCode).toBe(1);
    const { worktree = '' } = await team.member('carol');
    await rm(join(worktree, 'draft.txt'));
    const result = Json(z.looseObject({ merged: z.boolean(), commit: z.string(), conflicts: z.array(z.string()) }));
    expect(result(await team.ok('merge', 'carol', '--json'))).toMatchObject({
      merged: true,
      conflicts: [],
      overlaps: [],
    });
    expect(await readFile(join(team.repo, 'carol.txt'), 'utf8')).toBe('from carol\n');
    expect(await team.ok('merge', 'carol')).toMatch(/^Nothing to merge: \w+ has all that carol has committed\.$/);
  },
  costs: async (team) => {
    const costs = Json(
      z.looseObject({ team: z.string(), members: z.array(Named), total: z.looseObject({ costUsd: z.number() }) }),
    )(await team.ok('costs', '--json'));
    expect(costs.members.map(({ name }) => name)).toEqual(['team-lead', 'bob', 'ann', 'carol']);
    expect(costs.total.costUsd).toBeGreaterThan(0);
    expect(await team.ok('costs', 'trio')).toMatch(/^bob +claude-\S+( +\d+){4} +\d+ % +\$\d+\.\d{4}$/m);
  },
  report: async (team) => {
    const path = join(team.folder, 'run.html');
    const { bytes } = Json(z.strictObject({ path: z.literal(path), bytes: z.number() }))(
      await team.ok('report', '-o', path, '--json'),
    );
    const text = await readFile(path, 'utf8');
    expect(Buffer.byteLength(text)).toBe(bytes);
    const page = parsedPage(text);
    expect(page.errors).toEqual([]);
    expect(page.byId('members').text).toMatch(/lead.*bob.*ann.*carol/s);
    expect(page.byId('mail').text).toMatch(/you to bob .*Good day\./);
    expect(page.byId('plans').text).toMatch(/rejected by you.*Deeper\..*approved by you.*Well done\./s);
    expect(page.byId('permissions').text).toMatch(/touch one\s*allowed by you.*touch two\s*denied by you.*not now/s);
    expect(page.byId('calls').text).toMatch(/Bash touch one.*ExitPlanMode/s);
    expect(page.byId('tasks').text).toContain('Dig deep');
    expect(await team.ok('report', 'trio', '-o', path)).toBe(path);
    await refused(team, ['report'], /Required option '-o, --output <file>' not specified/);
    await writeFile(path, 'mine');
    await refused(team, ['report', '-o', path], /run\.html is there already and is no report of troupe's/);
    await refused(team, ['report', 'trop', '-o', path], /No team "trop".* Did you mean "trio"\?/);
  },
  hide: async (team) => {
    const { pane } = await team.member('bob');
    expect(JSON.parse(await team.ok('hide', 'bob', '--json'))).toEqual([
      { name: 'bob', pane, hidden: true, before: false },
    ]);
    expect(await team.ok('hide', 'bob')).toBe('bob was put away already');
    expect(await team.ok('status')).toMatch(new RegExp(`^bob .*${pane} hidden`, 'm'));
    await refused(team, ['hide', 'lead'], /The lead's pane stays where it is/);
    await refused(team, ['hide', 'bobb'], /No member "bobb" in trio\. Did you mean "bob"\?/);
    await refused(team, ['hide'], /Who\? Name members, or say --all\./);
  },
  show: async (team) => {
    expect(await team.ok('show', '--all')).toBe('bob is shown');
    expect(await team.ok('show', '--all')).toBe('No teammate was put away.');
    expect(await team.ok('show', 'bob')).toBe('bob was shown already');
    expect(await team.ok('status')).not.toContain('hidden');
  },
  dashboard: (team) => refused(team, ['dashboard'], /The dashboard needs a terminal\. Without one: troupe status -t /),
  attach: (team) => refused(team, ['attach', 'bob'], /tmux could not attach\. By hand: tmux /, 1),
  logs: async (team) => {
    const events = Json(z.array(Event))(await team.ok('logs', '--json'));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ type: 'team_created' });
    const since = events.length - 2;
    expect(Json(z.array(Event))(await team.ok('logs', 'trio', '--since', String(since), '--json'))).toHaveLength(2);
    await using follow = await live(team, ['logs', '--follow', '--since', String(since)], team.repo);
    await eventually(() => expect(follow.stdout().trim().split('\n')).toHaveLength(2));
  },
  interrupt: async (team) => {
    expect(JSON.parse(await team.ok('interrupt', 'bob', '--json'))).toEqual({ name: 'bob', how: 'nothing' });
    expect(await team.ok('interrupt', 'lead')).toBe('team-lead has no turn to end.');
    await refused(team, ['interrupt', 'bobb'], /No member "bobb" in trio\. Did you mean "bob"\?/);
  },
  shutdown: async (team) => {
    expect(JSON.parse(await team.ok('shutdown', 'carol', '--json'))).toEqual([
      expect.objectContaining({ name: 'carol', how: 'ended' }),
    ]);
    expect(await team.ok('shutdown', 'carol', '--force')).toBe('carol was not running');
  },
  down: async (team) => {
    const result = Json(z.looseObject({ team: z.string(), archive: z.string(), keptWorktrees: z.array(z.unknown()) }));
    expect(result(await team.ok('down', '--json'))).toMatchObject({ team: 'trio', keptWorktrees: [] });
    expect(await team.ok('ls')).toBe('No teams. Start one with: troupe up');
  },
  resume: async (team) => {
    const back = Json(
      z.looseObject({ team: z.string(), attach: z.string(), from: z.string(), members: z.array(Named) }),
    );
    const resumed = back(await team.ok('resume', 'trio', '--detach', '--json'));
    expect(resumed.members).toEqual([
      { name: 'bob', how: 'restarted' },
      { name: 'ann', how: 'restarted' },
      { name: 'carol', how: 'dismissed' },
    ]);
    await refused(team, ['resume', 'trio', '--detach'], /The team "trio" runs: its lead lives in process \d+/);
    await team.ok('down');
    await refused(team, ['resume', 'toir', '--detach'], /No team "toir", also not in the archive\./);
  },
  gc: async (team) => {
    const cleared = Json(
      z.array(z.looseObject({ what: z.string(), name: z.string(), done: z.string(), why: z.string() })),
    );
    cleared(await team.ok('gc', '--dry-run', '--json'));
    expect(await team.ok('gc')).toBe('Nothing to clear away.');
  },
  run: async (team) => expect(await team.ok('run', 'Hello.')).toBe('Noted by the lead.'),
  demo: async (team) => {
    const outcome = Json(z.looseObject({ testPassed: z.boolean() }))(await team.ok('demo', '--json', '--seed', '4'));
    expect(outcome.testPassed).toBe(true);
  },
  'model-server': async (team) => {
    await writeFile(join(team.folder, 'script.yaml'), 'agents: { "*": [{ reply: From the script. }] }');
    await using server = await live(team, ['model-server', '--script', 'script.yaml', '--json']);
    const { url } = await eventually(() => Json(z.looseObject({ url: z.string() }))(server.stdout()));
    const env = { ...team.env, ANTHROPIC_BASE_URL: url };
    expect((await team.troupe(['run', 'Hello.'], { env })).stdout).toBe('From the script.');
    process.kill(server.pid, 'SIGTERM');
    expect((await server.ended()).exitCode).toBe(0);
  },
  // What panes and the stress tests run: by hand they say what they lack.
  lead: (team) => refused(team, ['lead'], /Required option '--launch <file>'/),
  teammate: (team) => refused(team, ['teammate', '--launch', 'nowhere.json'], /nowhere\.json/, 2),
  'send-many': (team) => refused(team, ['send-many', 'bob', '0', '-t', 'x'], /whole number from 1 on/),
  'read-inbox': (team) => refused(team, ['read-inbox', 'bob', '-t', 'x'], /Required option '--out <file>'/),
};

describe('one team lives through every command', () => {
  let team: TmuxStage;
  beforeAll(async () => {
    team = await tmuxStage(SCRIPT);
    await team.template('trio', TRIO);
  });
  afterAll(() => team[Symbol.asyncDispose]());

  test.each(Object.entries(CASES))('troupe %s does what it says', async (_, check) => {
    await check(team);
  });
});
