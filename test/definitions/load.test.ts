import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { whenToUse } from '../../src/definitions/agent.js';
import { loadAgents, requireAgent } from '../../src/definitions/load.js';
import { tempDir } from '../helpers/tempDir.js';

const agent = (name: string, description: string, front = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${front}---\nPrompt of ${description}.\n`;

async function world() {
  const dir = await tempDir();
  const userHome = join(dir.path, 'home');
  const repository = join(dir.path, 'repo');
  const cwd = join(repository, 'packages', 'app');
  await mkdir(join(repository, '.git'), { recursive: true });
  await mkdir(cwd, { recursive: true });
  const write = async (folder: string, file: string, text: string) => {
    const path = join(folder, '.claude/agents', file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  return {
    dir,
    userHome,
    repository,
    cwd,
    write,
    places: { cwd, userHome, trusted: true },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

test('a stronger source wins by name: built-in < user < project < nearer project < flag', async () => {
  await using w = await world();
  const ofUser = await w.write(w.userHome, 'a.md', agent('Explore', 'user'));
  await w.write(w.userHome, 'b.md', agent('only-user', 'user'));
  const ofRoot = await w.write(w.repository, 'deep/er/a.md', agent('Explore', 'root'));
  const nearest = await w.write(w.cwd, 'a.md', agent('Explore', 'nearest'));
  await w.write(w.repository, 'c.md', agent('flagged', 'root'));

  const loaded = await loadAgents({
    ...w.places,
    flag: { flagged: { description: 'flag', prompt: 'Flagged.', tools: ['Read'] } },
  });

  expect([...loaded.agents].map(([name, found]) => [name, found.source, whenToUse(found)]).sort()).toEqual([
    ['Explore', 'project', 'nearest'],
    ['Plan', 'built-in', expect.any(String)],
    ['flagged', 'flag', 'flag'],
    ['general-purpose', 'built-in', expect.any(String)],
    ['only-user', 'user', 'user'],
  ]);
  expect(loaded.overridden).toEqual([
    { agentType: 'flagged', source: 'project', file: join(w.repository, '.claude/agents/c.md'), by: 'flag' },
    { agentType: 'Explore', source: 'project', file: ofRoot, by: nearest },
    { agentType: 'Explore', source: 'user', file: ofUser, by: nearest },
    { agentType: 'Explore', source: 'built-in', by: nearest },
  ]);
});

test('folders above the repository are nobody’s project', async () => {
  await using w = await world();
  await w.write(w.dir.path, 'a.md', agent('outside', 'above'));
  expect((await loadAgents(w.places)).agents.has('outside')).toBe(false);
});

test('a file that cannot be an agent is listed with line and reason and registers nothing', async () => {
  await using w = await world();
  const broken = await w.write(w.cwd, 'broken.md', '---\nname: broken\ndescription: x\n<example>\n---\n');
  const nameless = await w.write(w.cwd, 'README.md', '# Agents\n');
  const { agents, skipped } = await loadAgents(w.places);
  expect(skipped).toEqual([
    { file: nameless, line: 1, reason: expect.stringContaining('front matter') },
    { file: broken, line: 4, reason: expect.stringContaining('not YAML') },
  ]);
  expect([...agents.keys()].sort()).toEqual(['Explore', 'Plan', 'general-purpose']);
});

test('a loop of symbolic links, a dangling one and a folder called x.md are survived', async () => {
  await using w = await world();
  await w.write(w.cwd, 'sub/a.md', agent('looped', 'x'));
  const agents = join(w.cwd, '.claude/agents');
  await symlink(agents, join(agents, 'sub/up'));
  await symlink(join(agents, 'self.md'), join(agents, 'self.md'));
  await symlink('/nowhere/at/all.md', join(agents, 'gone.md'));
  await w.write(w.cwd, 'x.md/b.md', agent('inside', 'x'));
  const loaded = await loadAgents(w.places);
  expect([loaded.agents.has('looped'), loaded.agents.has('inside')]).toEqual([true, true]);
  expect(loaded.skipped.map(({ file }) => file)).toEqual([join(agents, 'gone.md'), join(agents, 'self.md')]);
  expect(loaded.overridden).toEqual([]);
});

test('without trust an agent of a file loses its hooks and inline MCP servers, and still runs', async () => {
  await using w = await world();
  const file = await w.write(
    w.cwd,
    'a.md',
    agent('hooked', 'x', 'hooks: {Stop: []}\nmcpServers: [shared, {own: {command: x}}]\n'),
  );
  const trusted = await loadAgents(w.places);
  expect(trusted.agents.get('hooked')).toMatchObject({
    hooks: { Stop: [] },
    mcpServers: ['shared', { own: { command: 'x' } }],
  });
  const { agents, warnings } = await loadAgents({ ...w.places, trusted: false });
  expect(agents.get('hooked')).not.toHaveProperty('hooks');
  expect(agents.get('hooked')).toMatchObject({ mcpServers: ['shared'] });
  expect(warnings).toEqual([
    `${file}: its hooks and inline MCP servers do not count until the project is trusted (troupe trust).`,
  ]);
});

test.each([
  [{ a: 'text' }, '"a" must be an object'],
  [{ a: { description: 'x' } }, '"a" has no "prompt"'],
  [{ a: { prompt: 'x' } }, '"a": it has no "description"'],
  [{ 'a:b': { prompt: 'x', description: 'x' } }, 'plugins'],
])('a mistake in --agents %j ends the command', async (flag, message) => {
  await using w = await world();
  await expect(loadAgents({ ...w.places, flag })).rejects.toThrow(message);
});

test('an unknown agent is answered with the nearest and all that there are', async () => {
  await using w = await world();
  const loaded = await loadAgents(w.places);
  expect(requireAgent(loaded, 'Plan').agentType).toBe('Plan');
  expect(() => requireAgent(loaded, 'explor')).toThrow(
    'Unknown agent type "explor". Did you mean "Explore"? Known: Explore, Plan, general-purpose',
  );
});

test('the built-in prompts are short, for every member pays for them', async () => {
  await using w = await world();
  const { agents } = await loadAgents(w.places);
  for (const found of agents.values())
    expect(Buffer.byteLength(found.getSystemPrompt({ toolNames: [] }))).toBeLessThan(1500);
});
