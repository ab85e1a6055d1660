import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentDefinition, whenToUse } from '../../src/definitions/agent.js';
import { type AgentSwitches, defaultAgentType } from '../../src/definitions/builtin/all.js';
import { loadAgents } from '../../src/definitions/load.js';
import { agentText, places } from './places.js';

const READ_ONLY = ['Agent', 'ExitPlanMode', 'Edit', 'Write', 'NotebookEdit'];
const guide = { documentation: ['/opt/troupe/README.md'], skills: ['deploy'], mcpServers: [], settings: ['model (a)'] };

async function builtIns(switches: AgentSwitches = {}, more: object = {}) {
  await using at = await places();
  return (await loadAgents({ ...at.given, switches, ...more })).agents;
}

test('each is as the table has it', async () => {
  const facts = [...(await builtIns({}, { guide })).values()].map(
    ({ getSystemPrompt: _, whenToUse: __, ...agent }) => agent,
  );
  const source = 'built-in';
  expect(facts).toEqual([
    { agentType: 'general-purpose', source },
    {
      agentType: 'Explore',
      source,
      disallowedTools: READ_ONLY,
      model: 'haiku',
      omitClaudeMd: true,
      omitGitStatus: true,
      oneShot: true,
    },
    {
      agentType: 'Plan',
      source,
      disallowedTools: READ_ONLY,
      model: 'inherit',
      omitClaudeMd: true,
      omitGitStatus: true,
    },
    {
      agentType: 'verification',
      source,
      disallowedTools: READ_ONLY,
      model: 'inherit',
      background: true,
      color: 'red',
      criticalSystemReminder: expect.stringContaining('VERDICT: PASS, VERDICT: FAIL or VERDICT: PARTIAL'),
    },
    { agentType: 'statusline-setup', source, tools: ['Read', 'Edit'], model: 'sonnet', color: 'orange' },
    {
      agentType: 'troupe-guide',
      source,
      tools: ['Read', 'Glob', 'Grep', 'WebFetch', 'WebSearch'],
      model: 'haiku',
      permissionMode: 'dontAsk',
      mayRead: guide.documentation,
    },
    {
      agentType: 'fork',
      source,
      forksParentContext: true,
      sharesPrefix: true,
      model: 'inherit',
      permissionMode: 'bubble',
      background: true,
    },
  ]);
});

test('the prompts say what the table asks of them, and are short', async () => {
  const prompts = new Map(
    [...(await builtIns({}, { guide }))].map(([name, agent]) => [name, agent.getSystemPrompt({ toolNames: [] })]),
  );
  const needed: Record<string, RegExp[]> = {
    'general-purpose': [/gold-plating/, /half done/, /narrow/, /no file that the task does not need/],
    Explore: [/READ ONLY/, /side by side/, /quick/, /medium/, /very thorough/],
    Plan: [/READ ONLY/, /Understand[\s\S]*Explore[\s\S]*Design[\s\S]*Detail[\s\S]*Critical files/],
    verification: [
      /break/,
      /do the opposite/,
      /READ ONLY/,
      /temporary directory[\s\S]*removed/,
      /command as it was run[\s\S]*output/,
      /concurrency[\s\S]*bounds[\s\S]*idempotency[\s\S]*orphans/,
      /mcp__/,
      /before you say FAIL[\s\S]*meant[\s\S]*handled elsewhere/i,
      /VERDICT: PASS\nVERDICT: FAIL\nVERDICT: PARTIAL$/,
    ],
    'statusline-setup': [
      /statusLine/,
      /PS1/,
      /stdin/,
      /tasks: \{pending, in_progress, completed\}/,
      /workspace: \{current_dir/,
    ],
    'troupe-guide': [
      /\/opt\/troupe\/README\.md/,
      /skills: deploy/,
      /MCP servers: none/,
      /agents: .*Plan.*fork/,
      /model \(a\)/,
    ],
  };
  for (const [name, patterns] of Object.entries(needed))
    for (const pattern of patterns) expect(prompts.get(name), name).toMatch(pattern);
  for (const [name, prompt] of prompts) expect(Buffer.byteLength(prompt), name).toBeLessThan(2500);
});

test('a guide that was had already is to be gone on with', async () => {
  const found = (await builtIns({}, { guide })).get('troupe-guide');
  expect(found && whenToUse(found)).toMatch(/continue one that you have had/);
});

describe('switches', () => {
  const names = async (switches: AgentSwitches, more?: object) => [...(await builtIns(switches, more)).keys()];

  test('without a person there is no guide', async () => {
    expect(await names({})).not.toContain('troupe-guide');
  });

  test('Explore and Plan can be left out', async () => {
    expect(await names({ withoutExploreAndPlan: true })).toEqual([
      'general-purpose',
      'verification',
      'statusline-setup',
      'fork',
    ]);
  });

  test('without built-ins only what was brought along is there', async () => {
    const flag = { own: { description: 'x', prompt: 'x' } };
    expect(await names({ withoutBuiltIns: true }, { flag })).toEqual(['own']);
  });

  test('a coordinator has one worker in their place, with every tool and in the background', async () => {
    const agents = await builtIns({ coordinator: true }, { guide });
    const [worker, ...others] = [...agents.values()];
    expect(others).toEqual([]);
    expect(worker).toMatchObject({ agentType: 'worker', background: true, keepsAllTools: true });
    expect(worker).not.toHaveProperty('tools');
    expect(worker).not.toHaveProperty('disallowedTools');
    expect(defaultAgentType(agents)).toBe('worker');
  });

  test('otherwise a call that names no type means general-purpose, also where that is not there', async () => {
    expect(defaultAgentType(await builtIns())).toBe('general-purpose');
    expect(defaultAgentType(await builtIns({ withoutBuiltIns: true }))).toBe('general-purpose');
  });

  test('simple: nothing is read from disk', async () => {
    await using at = await places();
    await at.writeAgent(at.cwd, 'a.md', agentText('a', 'project'));
    await at.writeAgent(at.userHome, 'b.md', 'broken');
    await at.write(join(at.plugins, 'p/agents/c.md'), agentText('c', 'plugin'));
    await at.write(join(at.managed, 'agents/d.md'), agentText('Plan', 'managed'));
    const { agents, skipped } = await loadAgents({ ...at.given, switches: { simple: true } });
    const sources = new Set([...agents.values()].map((agent: AgentDefinition) => agent.source));
    expect({ sources: [...sources], skipped }).toEqual({ sources: ['built-in'], skipped: [] });
  });
});
