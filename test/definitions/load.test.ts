import { mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { whenToUse } from '../../src/definitions/agent.js';
import { loadAgents, requireAgent } from '../../src/definitions/load.js';
import { agentText, places } from './places.js';

describe('sources', () => {
  test('a stronger one wins by name: built-in < user < project < nearer project < flag < managed', async () => {
    await using at = await places();
    const ofUser = await at.writeAgent(at.userHome, 'a.md', agentText('Explore', 'user'));
    await at.writeAgent(at.userHome, 'b.md', agentText('only-user', 'user'));
    const ofRoot = await at.writeAgent(at.repository, 'deep/er/a.md', agentText('Explore', 'root'));
    const nearest = await at.writeAgent(at.cwd, 'a.md', agentText('Explore', 'nearest'));
    const flagged = await at.writeAgent(at.repository, 'c.md', agentText('flagged', 'root'));
    const decided = await at.write(join(at.managed, 'agents/d.md'), agentText('decided', 'managed'));

    const loaded = await loadAgents({
      ...at.given,
      flag: {
        flagged: { description: 'flag', prompt: 'Flagged.', tools: ['Read'] },
        decided: { description: 'flag', prompt: 'x' },
      },
    });

    const found = [...loaded.agents].map(([name, agent]) => [name, agent.source, whenToUse(agent)]);
    expect(found.filter(([, source]) => source !== 'built-in').sort()).toEqual([
      ['Explore', 'project', 'nearest'],
      ['decided', 'managed', 'managed'],
      ['flagged', 'flag', 'flag'],
      ['only-user', 'user', 'user'],
    ]);
    expect(loaded.overridden).toEqual([
      { agentType: 'decided', source: 'flag', by: decided },
      { agentType: 'flagged', source: 'project', file: flagged, by: 'flag' },
      { agentType: 'Explore', source: 'project', file: ofRoot, by: nearest },
      { agentType: 'Explore', source: 'user', file: ofUser, by: nearest },
      { agentType: 'Explore', source: 'built-in', by: nearest },
    ]);
  });

  test('where each was found is kept with it', async () => {
    await using at = await places();
    const filename = await at.writeAgent(at.cwd, 'sub/a.md', agentText('a', 'x'));
    const { agents } = await loadAgents(at.given);
    expect(agents.get('a')).toMatchObject({ source: 'project', filename, baseDir: join(at.cwd, '.claude/agents/sub') });
  });

  test('folders above the repository are nobody’s project', async () => {
    await using at = await places();
    await at.writeAgent(at.at(), 'a.md', agentText('outside', 'above'));
    expect((await loadAgents(at.given)).agents.has('outside')).toBe(false);
  });

  test('in a linked worktree what is not committed comes from the main checkout, and what is there from the worktree', async () => {
    await using at = await places();
    const worktree = join(at.repository, '.claude/worktrees/bob');
    await at.write(join(worktree, '.git'), `gitdir: ${at.repository}/.git/worktrees/bob\n`);
    await at.writeAgent(at.repository, 'local.md', agentText('local', 'not committed'));
    await at.writeAgent(at.repository, 'shared.md', agentText('shared', 'main'));
    await at.writeAgent(worktree, 'shared.md', agentText('shared', 'worktree'));
    const loaded = await loadAgents({ ...at.given, cwd: worktree });
    expect(['local', 'shared'].map((name) => whenToUse(requireAgent(loaded, name)))).toEqual([
      'not committed',
      'worktree',
    ]);
    expect(loaded.overridden).toEqual([]);
  });

  test('a loop of symbolic links, a dangling one and a folder called x.md are survived', async () => {
    await using at = await places();
    await at.writeAgent(at.cwd, 'sub/a.md', agentText('looped', 'x'));
    const folder = join(at.cwd, '.claude/agents');
    await symlink(folder, join(folder, 'sub/up'));
    await symlink(join(folder, 'self.md'), join(folder, 'self.md'));
    await symlink('/nowhere/at/all.md', join(folder, 'gone.md'));
    await at.writeAgent(at.cwd, 'x.md/b.md', agentText('inside', 'x'));
    const loaded = await loadAgents(at.given);
    expect([loaded.agents.has('looped'), loaded.agents.has('inside')]).toEqual([true, true]);
    expect(loaded.skipped.map(({ file }) => file)).toEqual([join(folder, 'gone.md'), join(folder, 'self.md')]);
    expect(loaded.overridden).toEqual([]);
  });
});

describe('a file that changes', () => {
  const described = async (at: Awaited<ReturnType<typeof places>>) =>
    whenToUse(requireAgent(await loadAgents(at.given), 'a'));

  test('counts as it is now, at every call', async () => {
    await using at = await places();
    const file = await at.writeAgent(at.cwd, 'a.md', agentText('a', 'first'));
    expect(await described(at)).toBe('first');
    await writeFile(file, agentText('a', 'second time'));
    expect(await described(at)).toBe('second time');
    const [old, other] = [new Date(1e12), join(at.cwd, 'other')];
    await utimes(file, old, old);
    expect(await described(at)).toBe('second time');
    // As an editor saves: another file of the same size and time in its place.
    await writeFile(other, agentText('a', 'third  time'));
    await utimes(other, old, old);
    await rename(other, file);
    expect(await described(at)).toBe('third  time');
    await writeFile(file, 'broken');
    expect((await loadAgents(at.given)).skipped).toMatchObject([{ file, line: 1 }]);
  });

  test('is not parsed again while it is the same', async () => {
    await using at = await places();
    await at.writeAgent(at.cwd, 'a.md', agentText('a', 'x'));
    const [one, two] = [await loadAgents(at.given), await loadAgents(at.given)];
    expect(one.agents.get('a')).toBe(two.agents.get('a'));
  });
});

describe('what a definition may bring along', () => {
  const hooked = agentText('hooked', 'x', 'hooks: {Stop: []}\nmcpServers: [shared, {own: {command: x}}]\n');
  const whole = { hooks: { Stop: [] }, mcpServers: ['shared', { own: { command: 'x' } }] };

  test.each(['cwd', 'userHome'] as const)(
    'without trust one in the %s has neither hooks nor inline servers, and still runs',
    async (place) => {
      await using at = await places();
      const file = await at.writeAgent(at[place], 'a.md', hooked);
      expect((await loadAgents(at.given)).agents.get('hooked')).toMatchObject(whole);
      const { agents, warnings } = await loadAgents({ ...at.given, trusted: false });
      expect(agents.get('hooked')).not.toHaveProperty('hooks');
      expect(agents.get('hooked')).toMatchObject({ mcpServers: ['shared'] });
      expect(warnings).toEqual([
        `${file}: its hooks and inline MCP servers do not count until the project is trusted (troupe trust).`,
      ]);
    },
  );

  test('under strictPluginOnlyCustomization trust does not help', async () => {
    await using at = await places();
    const file = await at.writeAgent(at.cwd, 'a.md', hooked);
    const { agents, warnings } = await loadAgents({ ...at.given, pluginsOnly: true });
    expect(agents.get('hooked')).not.toHaveProperty('hooks');
    expect(agents.get('hooked')).toMatchObject({ mcpServers: ['shared'] });
    expect(warnings).toEqual([expect.stringMatching(`^${file}: its .* do not count: only plugins may bring them`)]);
  });

  test('those of plugins, of an administrator and of the command line count as they are', async () => {
    await using at = await places();
    await at.write(join(at.plugins, 'p/agents/a.md'), hooked);
    await at.write(join(at.managed, 'agents/a.md'), hooked.replace('name: hooked', 'name: decided'));
    const flag = { flagged: { description: 'x', prompt: 'x', ...whole } };
    const { agents, warnings } = await loadAgents({ ...at.given, flag, trusted: false, pluginsOnly: true });
    for (const name of ['p:hooked', 'decided', 'flagged']) expect(agents.get(name), name).toMatchObject(whole);
    expect(warnings).toEqual([]);
  });
});

describe('what cannot be used', () => {
  test('a file that cannot be an agent is listed with line and reason and registers nothing', async () => {
    await using at = await places();
    const broken = await at.writeAgent(at.cwd, 'broken.md', '---\nname: broken\ndescription: x\n<example>\n---\n');
    const nameless = await at.writeAgent(at.cwd, 'README.md', '# Agents\n');
    const silent = await at.writeAgent(at.cwd, 'silent.md', '---\nname: silent\n---\nx\n');
    const { agents, skipped } = await loadAgents(at.given);
    expect(skipped).toEqual([
      { file: nameless, line: 1, reason: expect.stringContaining('front matter') },
      { file: broken, line: 4, reason: expect.stringContaining('not YAML') },
      { file: silent, line: 1, reason: 'it has no "description".' },
    ]);
    expect([...agents.values()].filter(({ source }) => source !== 'built-in')).toEqual([]);
  });

  test.each([
    [{ a: 'text' }, '--agents: "a" must be an object'],
    [{ a: { description: 'x' } }, '--agents: "a" has no "prompt"'],
    [{ a: { prompt: 'x' } }, '--agents: "a": it has no "description"'],
    [{ 'a:b': { prompt: 'x', description: 'x' } }, 'plugins'],
    [{ fork: { prompt: 'x', description: 'x' } }, 'that is the fork of a running agent'],
    [{ a: { prompt: 'x', description: 'x', allowedTools: [] } }, 'Write "tools"'],
  ])('a mistake in --agents %j ends the command', async (flag, message) => {
    await using at = await places();
    await expect(loadAgents({ ...at.given, flag })).rejects.toThrow(message);
  });

  test('an unknown agent is answered with the nearest and all that there are', async () => {
    await using at = await places();
    const loaded = await loadAgents({ ...at.given, switches: { withoutExploreAndPlan: true } });
    expect(requireAgent(loaded, 'verification').agentType).toBe('verification');
    expect(() => requireAgent(loaded, 'verifcation')).toThrow(
      'Unknown agent type "verifcation". Did you mean "verification"? Known: fork, general-purpose, statusline-setup, verification',
    );
  });

  test('descriptions that no request could carry are warned of', async () => {
    await using at = await places();
    await at.writeAgent(at.cwd, 'a.md', agentText('a', 'x'.repeat(70_000)));
    expect((await loadAgents(at.given)).warnings).toEqual([expect.stringMatching(/^The descriptions of all agents/)]);
  });
});

test('a definition that a project links to from outside of it counts once that is trusted', async () => {
  await using p = await places();
  const file = await p.write(p.at('private', 'a.md'), agentText('a', 'IS-SECRET'));
  const folder = join(p.repository, '.claude/agents');
  await mkdir(folder, { recursive: true });
  await symlink(file, join(folder, 'a.md'));
  const { agents, skipped } = await loadAgents({ ...p.given, trusted: false });
  expect(agents.has('a')).toBe(false);
  expect(skipped).toEqual([{ file: join(folder, 'a.md'), reason: expect.stringContaining('outside of the project') }]);
  expect((await loadAgents(p.given)).agents.has('a')).toBe(true);
});
