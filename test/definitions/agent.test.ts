import { describe, expect, test } from 'vitest';
import { parseAgentFile } from '../../src/definitions/agent.js';

const agentFile = (front: string, body = 'You are a reviewer.') =>
  `---\nname: reviewer\ndescription: Reviews a change\n${front}---\n${body}\n`;
const parse = (front = '', body?: string) => parseAgentFile(agentFile(front, body), 'r.md', 'user');

test('name, description and body are enough, and the body is the system prompt', async () => {
  const { agent, warnings } = await parse();
  expect(agent).toMatchObject({
    agentType: 'reviewer',
    whenToUse: 'Reviews a change',
    source: 'user',
    filename: 'r.md',
  });
  expect(agent.getSystemPrompt({ toolNames: [] })).toBe('You are a reviewer.');
  expect({ tools: agent.tools, warnings }).toEqual({ tools: undefined, warnings: [] });
});

test('every optional key is read', async () => {
  const { agent, warnings } = await parse(`tools: Read
disallowedTools: Bash(git *)
model: claude-opus-4-5
effort: high
permissionMode: manual
isolation: worktree
background: true
forksParentContext: turn
requiredMcpServers: [github]
mcpServers:
  - slack
  - db: {command: run-db}
color: red
maxTurns: 7
skills: a, b
initialPrompt: Begin.
memory: project
omitClaudeMd: yes
omitGitStatus: "true"
appendSystemPrompt: true
hooks: {Stop: []}
criticalSystemReminder: Be careful.
oneShot: false
`);
  const { getSystemPrompt: _, ...fields } = agent;
  expect(warnings).toEqual([]);
  expect(fields).toEqual({
    agentType: 'reviewer',
    whenToUse: 'Reviews a change',
    source: 'user',
    filename: 'r.md',
    tools: ['Read'],
    disallowedTools: ['Bash(git *)'],
    model: 'claude-opus-4-5',
    effort: 'high',
    permissionMode: 'default',
    isolation: 'worktree',
    background: true,
    forksParentContext: 'turn',
    requiredMcpServers: ['github'],
    mcpServers: ['slack', { db: { command: 'run-db' } }],
    color: 'red',
    maxTurns: 7,
    skills: ['a', 'b'],
    initialPrompt: 'Begin.',
    memory: 'project',
    omitClaudeMd: true,
    omitGitStatus: true,
    appendSystemPrompt: true,
    hooks: { Stop: [] },
    criticalSystemReminder: 'Be careful.',
    oneShot: false,
  });
});

describe('tools', () => {
  test.each([
    'tools: Read, Grep, Bash(git log *)',
    'tools: Read Grep Bash(git log *)',
    'tools: "Read,Grep , Bash(git log *),"',
    'tools: [Read, Grep, Bash(git log *)]',
    'tools: [FileRead, "Grep", "Bash(git log *)"]',
    'tools:\n  - Read\n  - " Grep"\n  - Bash(git log *)\n  - ""',
  ])('%j is the same list in every spelling', async (front) => {
    expect((await parse(`${front}\n`)).agent.tools).toEqual(['Read', 'Grep', 'Bash(git log *)']);
  });

  test.each([
    ['tools:', []],
    ['tools: ""', []],
    ['tools: []', []],
    ['', undefined],
    ['tools: "*"', undefined],
    ['tools: ["*"]', undefined],
  ])('%j means exactly %j', async (front, expected) => {
    expect((await parse(front === '' ? '' : `${front}\n`)).agent.tools).toEqual(expected);
  });

  test('the types in Agent(a, b) stay together, and Task is Agent', async () => {
    expect((await parse('tools: Task(Explore, Plan), Read\n')).agent.tools).toEqual(['Agent(Explore, Plan)', 'Read']);
  });

  test('a tool of another program may be taken away, and is a warning where it is given', async () => {
    const { agent, warnings } = await parse('disallowedTools: Monitor, PowerShell, Write\ntools: Read, LSP\n');
    expect(agent.disallowedTools).toEqual(['Monitor', 'PowerShell', 'Write']);
    expect(warnings).toEqual(['r.md:5: "tools" names "LSP", and there is no such tool.']);
  });

  test('an unknown name is a warning with the nearest', async () => {
    const { agent, warnings } = await parse('tools: Reed, mcp__db__query\n');
    expect(agent.tools).toEqual(['Reed', 'mcp__db__query']);
    expect(warnings).toEqual(['r.md:4: "tools" names "Reed", and there is no such tool. Did you mean "Read"?']);
  });
});

test.each([
  ['a missing name', '---\ndescription: x\n---\nB', 1, 'it has no "name".'],
  ['a missing description', '---\nname: x\n---\nB', 1, 'it has no "description".'],
  ['an empty description', '---\nname: x\ndescription: "  "\n---\nB', 3, 'it has no "description".'],
  ['a name with a colon', '---\nname: a:b\ndescription: x\n---\nB', 2, 'kept for the agents of plugins'],
  ['a name that is a path', '---\nname: ../x\ndescription: x\n---\nB', 2, 'must not hold "/"'],
  ['a name that no rule could name', '---\nname: a(b)\ndescription: x\n---\nB', 2, 'could not name it'],
  ['a name that looks like a flag', '---\nname: -x\ndescription: x\n---\nB', 2, 'must not begin with "-"'],
  ['allowed-tools', agentFile('allowed-tools: Read\n'), 4, 'would restrict nothing. Write "tools".'],
  ['allowedTools', agentFile('allowedTools: Read\n'), 4, 'Write "tools".'],
  ['Tools', agentFile('Tools: Read\n'), 4, 'Write "tools".'],
  ['disallowed_tools', agentFile('disallowed_tools: Read\n'), 4, 'Write "disallowedTools".'],
  ['permission-mode', agentFile('permission-mode: plan\n'), 4, 'Write "permissionMode".'],
  ['tools that are a number', agentFile('tools: 5\n'), 4, 'must be a list of tools'],
  ['tools with a space before the parenthesis', agentFile('tools: Bash (git *)\n'), 4, 'right behind a tool'],
  ['an unknown name in disallowedTools', agentFile('disallowedTools: Wriet\n'), 4, 'Did you mean "Write"?'],
])('%s is refused with its line', async (_, text, line, reason) => {
  await expect(parseAgentFile(text, 'r.md', 'user')).rejects.toMatchObject({
    line,
    reason: expect.stringContaining(reason),
  });
});

test.each([
  'model: 5',
  'effort: huge',
  'permissionMode: bubble',
  'isolation: vm',
  'background: maybe',
  'color: beige',
  'maxTurns: -1',
  'memory: team',
  'hooks: x',
  'skills: {a: b}',
  'forksParentContext: some',
])('an invalid %s is left out with a warning, and the agent still loads', async (line) => {
  const key = line.split(':')[0] ?? '';
  const { agent, warnings } = await parse(`${line}\nomitClaudeMd: true\n`);
  expect(agent).toMatchObject({ omitClaudeMd: true });
  expect(agent).not.toHaveProperty(key);
  expect(warnings).toEqual([expect.stringMatching(`^r\\.md:4: "${key}" must be .*; it is left out\\.$`)]);
});

test('unknown keys and keys without a value are ignored', async () => {
  expect(await parse('model:\nfuture: 1\n')).toMatchObject({ warnings: [], agent: { agentType: 'reviewer' } });
});

test('a file without a body keeps the default system prompt and says so', async () => {
  const { agent, warnings } = await parse('', '');
  expect(agent).toMatchObject({ appendSystemPrompt: true });
  expect(warnings).toHaveLength(1);
});

test('hooks of a definition that never run are said: an unknown event, and worktrees, which are there before it', async () => {
  const hooks = JSON.stringify(
    Object.fromEntries(
      ['Stop', 'Stopp', 'WorktreeCreate'].map((event) => [event, [{ hooks: [{ type: 'command', command: 'true' }] }]]),
    ),
  );
  const { warnings } = await parse(`hooks: ${hooks}\n`);
  expect(warnings).toEqual([
    'r.md: "hooks.Stopp" is no event that troupe knows; it is left out.',
    expect.stringMatching(/^r\.md:4: "hooks\.WorktreeCreate" is never run: .* Put it into settings\.$/),
  ]);
});
