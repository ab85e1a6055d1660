import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentsFor } from '../../src/app/knowledge/agentTypes.js';
import { homeAt } from '../../src/config/paths.js';
import { shortOf, tool } from '../agent/harness.js';
import { SETTINGS } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';
import { subagentBench } from './subagentBench.js';

test('a verification runs in the background, may change nothing, and is told again at every step what it must not do', async () => {
  await using bench = await subagentBench({
    replies: [[{ calls: ['Bash'] }, { calls: ['Bash'] }, { text: 'VERDICT: FAIL' }]],
    tools: () => ['Bash', 'Edit', 'Write', 'NotebookEdit', 'Read'].map((name) => tool(name, async () => 'x')),
  });
  const { agentId } = JSON.parse(await bench.call({ subagentType: 'verification' })) as { agentId: string };
  await bench.registry.find(agentId)?.ended;
  const requests = bench.models()[0]?.requests ?? [];
  expect(requests).toHaveLength(3);
  expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['Bash', 'Read']);
  for (const { messages } of requests)
    for (const message of messages.filter(({ role }) => role === 'user'))
      expect(shortOf(message).at(-1)).toMatch(/system-reminder>\nYou verify: nothing in the project is changed/);
  expect(bench.registry.find(agentId)?.record().result).toBe('VERDICT: FAIL');
});

test('the guide knows the agents, skills, MCP servers and settings of this very user, and is there for a person only', async () => {
  await using dir = await tempDir();
  const cwd = join(dir.path, 'project');
  await mkdir(join(cwd, '.git'), { recursive: true });
  await mkdir(join(cwd, '.claude/skills/deploy'), { recursive: true });
  await mkdir(join(cwd, '.claude/agents'));
  await writeFile(
    join(cwd, '.claude/skills/deploy/SKILL.md'),
    '---\nname: deploy\ndescription: Deploys.\n---\nDeploy.\n',
  );
  await writeFile(join(cwd, '.claude/agents/critic.md'), '---\nname: critic\ndescription: Finds faults.\n---\nLook.\n');
  await writeFile(join(cwd, '.mcp.json'), '{"mcpServers": {"tickets": {"command": "tickets"}}}');
  await writeFile(join(cwd, '.claude/settings.json'), '{"worktree": {"baseRef": "fresh"}}');
  const world = { home: homeAt(join(dir.path, 'home')), shippedTemplates: '/opt/troupe/templates' };
  const agentsOf = (interactive: boolean) =>
    agentsFor(world, { cwd, settings: { ...SETTINGS, interactive }, environment: {} });
  const guide = (await agentsOf(true)).agents.get('troupe-guide');
  const prompt = guide?.getSystemPrompt({ toolNames: [] }) ?? '';
  for (const known of [
    /agents: .*critic/,
    /skills: .*deploy/,
    /MCP servers: .*tickets/,
    /settings: .*worktree \(/,
    /\/opt\/troupe\/README\.md/,
  ])
    expect(prompt).toMatch(known);
  expect((await agentsOf(false)).agents.has('troupe-guide')).toBe(false);
});
