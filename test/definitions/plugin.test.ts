import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whenToUse } from '../../src/definitions/agent.js';
import { loadAgents, requireAgent } from '../../src/definitions/load.js';
import { agentText, places } from './places.js';

const ofPlugins = ({ agents }: Awaited<ReturnType<typeof loadAgents>>) =>
  [...agents.values()].filter(({ source }) => source === 'plugin').map(({ agentType }) => agentType);

test('a plugin’s agents are named after it, from Markdown and from JSON', async () => {
  await using at = await places();
  const file = await at.write(join(at.plugins, 'docs/agents/deep/w.md'), agentText('writer', 'writes'));
  const manifest = await at.write(join(at.plugins, 'docs/plugin.json'), {
    agents: { reader: { description: 'reads', prompt: 'Read.', tools: 'Read, Grep' } },
  });
  await at.write(join(at.plugins, 'single.json'), { agents: { one: { description: 'x', prompt: 'One.' } } });
  const loaded = await loadAgents({ ...at.given, trusted: false });
  expect(ofPlugins(loaded).sort()).toEqual(['docs:reader', 'docs:writer', 'single:one']);
  expect(loaded.agents.get('docs:writer')).toMatchObject({ plugin: 'docs', filename: file, source: 'plugin' });
  expect(loaded.agents.get('docs:reader')).toMatchObject({
    plugin: 'docs',
    baseDir: join(at.plugins, 'docs'),
    tools: ['Read', 'Grep'],
  });
  expect(requireAgent(loaded, 'docs:reader').getSystemPrompt({ toolNames: [] })).toBe('Read.');
  expect(manifest).toContain('plugin.json');
});

test('a manifest names its plugin, also where Claude Code keeps it', async () => {
  await using at = await places();
  await at.write(join(at.plugins, 'folder/.claude-plugin/plugin.json'), { name: 'proper' });
  await at.write(join(at.plugins, 'folder/agents/a.md'), agentText('a', 'x'));
  expect(ofPlugins(await loadAgents(at.given))).toEqual(['proper:a']);
});

test('no agent of a plugin stands in the way of a built-in one, a user’s or a project’s', async () => {
  await using at = await places();
  await at.write(join(at.plugins, 'p/agents/a.md'), agentText('Explore', 'plugin'));
  const { agents, overridden } = await loadAgents(at.given);
  expect([agents.get('Explore')?.source, agents.get('p:Explore')?.source]).toEqual(['built-in', 'plugin']);
  expect(overridden).toEqual([]);
});

test('a plugin of --plugin-dir takes the place of an installed one of its name, as a whole', async () => {
  await using at = await places();
  await at.write(join(at.plugins, 'p/agents/old.md'), agentText('old', 'installed'));
  await at.write(join(at.plugins, 'p/agents/both.md'), agentText('both', 'installed'));
  await at.write(at.at('dev/p/agents/both.md'), agentText('both', 'dev'));
  const loaded = await loadAgents({ ...at.given, pluginDirs: [at.at('dev/p')] });
  expect(ofPlugins(loaded)).toEqual(['p:both']);
  expect(whenToUse(requireAgent(loaded, 'p:both'))).toBe('dev');
  expect(loaded.warnings).toEqual([
    expect.stringMatching(/plugins\/p: plugin "p" is left out, for .*dev\/p has that name/),
  ]);
});

test('a --plugin-dir that is none is an error; nothing at all is no plugin', async () => {
  await using at = await places();
  await expect(loadAgents({ ...at.given, pluginDirs: [at.at('none')] })).rejects.toThrow(
    `--plugin-dir: there is no plugin at ${at.at('none')}.`,
  );
  expect(ofPlugins(await loadAgents({ ...at.given, plugins: at.at('none') }))).toEqual([]);
});

test.each<[what: string, manifest: string | object, reason: string]>([
  ['that is not JSON', '{', 'it is not JSON.'],
  ['that is a list', [], 'it must hold one JSON object.'],
  ['whose name cannot be one', { name: 'a:b' }, 'cannot stand before the names of agents'],
  ['whose agents are a path', { agents: './agents' }, '"agents" must be an object'],
  ['with a broken agent', { agents: { a: { description: 'x' } } }, '"a" has no "prompt".'],
])('a manifest %s is listed with its reason, and the rest of the plugin counts', async (_, manifest, reason) => {
  await using at = await places();
  const file = await at.write(join(at.plugins, 'p/plugin.json'), manifest);
  await at.write(join(at.plugins, 'p/agents/a.md'), agentText('good', 'x'));
  const loaded = await loadAgents(at.given);
  expect(ofPlugins(loaded)).toEqual(['p:good']);
  expect(loaded.skipped).toEqual([{ file, line: 1, reason: expect.stringContaining(reason) }]);
});

test('a folder whose name cannot be a plugin’s is listed', async () => {
  await using at = await places();
  await at.write(join(at.plugins, 'a(b)/agents/a.md'), agentText('a', 'x'));
  await at.write(join(at.plugins, '.hidden/agents/a.md'), agentText('a', 'x'));
  const { skipped, ...loaded } = await loadAgents(at.given);
  expect(ofPlugins({ skipped, ...loaded })).toEqual([]);
  expect(skipped).toEqual([{ file: join(at.plugins, 'a(b)'), reason: expect.stringContaining('parentheses') }]);
});
