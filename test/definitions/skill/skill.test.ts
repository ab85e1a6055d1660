import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseCommand, parseSkill } from '../../../src/definitions/skill/skill.js';
import { findSkill, loadSkills, type SkillPlaces } from '../../../src/definitions/skill/skillLoad.js';
import { argumentsIn, piecesOf } from '../../../src/definitions/skill/skillText.js';
import { initRepo } from '../../helpers/gitRepo.js';
import { tempDir } from '../../helpers/tempDir.js';

const skill = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: ${name} it.\n${more}\n---\nBody of ${name}.\n`;

async function disk(files: Readonly<Record<string, string>>, more: Partial<SkillPlaces> = {}) {
  const dir = await tempDir();
  const at = (path: string) => join(dir.path, path);
  await initRepo(at('project'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  }
  const places = {
    cwd: at('project'),
    userHome: at('home'),
    managed: at('etc'),
    plugins: at('plugins'),
    trusted: true,
    ...more,
  };
  return { at, places, load: () => loadSkills(places), [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

test('managed stands before user, user before project, the nearest folder before the others, and every skill before a command', async () => {
  await using here = await disk({
    'etc/skills/a/SKILL.md': skill('a'),
    'home/.claude/skills/a/SKILL.md': skill('a'),
    'home/.claude/skills/b/SKILL.md': skill('b'),
    'project/.claude/skills/b/SKILL.md': skill('b'),
    'project/.claude/skills/c/SKILL.md': skill('c'),
    'project/part/.claude/skills/c/SKILL.md': skill('c'),
    'home/.claude/commands/c.md': 'Do c.',
    'project/.claude/commands/git/push.md': 'Push.',
    'plugins/tools/skills/a/SKILL.md': skill('a'),
    'plugins/tools/commands/run.md': 'Run.',
  });
  const { skills, overridden, skipped } = await loadSkills({ ...here.places, cwd: here.at('project/part') });
  expect([...skills].map(([name, { file }]) => [name, file])).toEqual([
    ['a', here.at('etc/skills/a/SKILL.md')],
    ['b', here.at('home/.claude/skills/b/SKILL.md')],
    ['c', here.at('project/part/.claude/skills/c/SKILL.md')],
    ['tools:a', here.at('plugins/tools/skills/a/SKILL.md')],
    ['git:push', here.at('project/.claude/commands/git/push.md')],
    ['tools:run', here.at('plugins/tools/commands/run.md')],
  ]);
  expect(overridden.map(({ name, source }) => [name, source])).toEqual([
    ['a', 'user'],
    ['b', 'project'],
    ['c', 'project'],
    ['c', 'user'],
  ]);
  expect(skipped).toEqual([]);
});

test('a file that cannot be a skill is listed with its line and the reason; a folder that is a link is a skill', async () => {
  await using here = await disk({
    'project/.claude/skills/plain/SKILL.md': 'No front matter.',
    'project/.claude/skills/both/SKILL.md': '---\nname: both\ndescription: x\nuser-invocable: perhaps\n---\nx',
    'project/.claude/skills/Bad Name/SKILL.md': '---\nname: Bad_Name\ndescription: x\n---\nx',
    'project/.claude/skills/empty/SKILL.md': '---\nname: empty\n---\n',
    'project/.claude/skills/flat.md': 'x',
    'project/.claude/skills/notes/README.md': 'x',
    'project/.claude/commands/two words.md': 'x',
    'elsewhere/far/SKILL.md': skill('far'),
  });
  await symlink(here.at('elsewhere/far'), here.at('project/.claude/skills/far'));
  const { skills, skipped } = await here.load();
  expect([...skills.keys()]).toEqual(['far']);
  expect(skipped.map(({ file, line, reason }) => [file.split('/.claude/')[1], line, reason])).toEqual([
    ['skills/Bad Name/SKILL.md', 2, expect.stringContaining('cannot be the name of a skill')],
    ['skills/both/SKILL.md', 4, '"user-invocable" must be true or false.'],
    ['skills/empty/SKILL.md', expect.any(Number), 'it has no "description".'],
    ['skills/flat.md', undefined, expect.stringContaining('a folder with a SKILL.md')],
    ['skills/plain/SKILL.md', 1, expect.stringContaining('front matter')],
    ['commands/two words.md', 1, expect.stringContaining('cannot be typed')],
  ]);
});

test('what is not valid and restricts nothing is left out with a warning', async () => {
  const text =
    '---\nname: Nice Name\nmodel: two words\nallowed-tools: "Read, Edit(!x)"\ncontext: fork\n---\n# What it does\n\nMore.';
  const { skill: parsed, warnings } = await parseSkill(text, '/x/nice/SKILL.md', 'user');
  expect(parsed).toMatchObject({
    name: 'nice',
    description: 'What it does',
    folder: '/x/nice',
    allowedTools: ['Read'],
    model: undefined,
    isFork: true,
    isTyped: true,
    isForPeople: false,
  });
  expect(warnings).toEqual([
    expect.stringMatching(/SKILL\.md:2: "Nice Name" cannot be the name of a skill/),
    expect.stringMatching(/it has no "description"/),
    expect.stringMatching(/SKILL\.md:3: "model" must be one word/),
    expect.stringMatching(/SKILL\.md:4: "Edit\(!x\)" is not a permission rule/),
  ]);
});

test('a command needs no front matter', async () => {
  const { skill: parsed } = await parseCommand('\uFEFF# Fix it\r\n\r\nNow.', '/x/commands/fix.md', 'project', 'fix');
  expect(parsed).toMatchObject({ name: 'fix', kind: 'command', description: 'Fix it', body: '# Fix it\n\nNow.' });
});

test('what a project’s skill allows counts when the project is trusted', async () => {
  const files = {
    'project/.claude/skills/a/SKILL.md': skill('a', 'allowed-tools: Bash'),
    'home/.claude/skills/b/SKILL.md': skill('b', 'allowed-tools: Bash'),
  };
  await using here = await disk(files, { trusted: false });
  const { skills, warnings } = await here.load();
  expect([skills.get('a')?.allowedTools, skills.get('b')?.allowedTools]).toEqual([[], ['Bash']]);
  expect(warnings).toEqual([expect.stringContaining('do not count until the project is trusted')]);
});

test('what a project that is not trusted links to from outside of it is no skill and no command', async () => {
  const files = {
    'private/key': 'IS-SECRET',
    'private/b/SKILL.md': skill('b'),
    'project/docs/c.md': 'Do c.',
    'project/.claude/commands/x.md': '',
    'project/.claude/skills/x': '',
  };
  await using here = await disk(files, { trusted: false });
  await symlink(here.at('private/key'), here.at('project/.claude/commands/a.md'));
  await symlink(here.at('private/b'), here.at('project/.claude/skills/b'));
  await symlink(here.at('project/docs/c.md'), here.at('project/.claude/commands/c.md'));
  const { skills, skipped } = await here.load();
  expect([...skills.keys()]).toContain('c');
  expect([...skills.keys()]).not.toContain('a');
  expect([...skills.keys()]).not.toContain('b');
  expect(skipped.filter(({ reason }) => reason.startsWith('it lies outside of the project'))).toHaveLength(2);
  const all = await loadSkills({ ...here.places, trusted: true });
  expect([...all.skills.keys()]).toEqual(expect.arrayContaining(['a', 'b', 'c']));
});

test('in a worktree its own skills count, and those of the main checkout that git does not carry over', async () => {
  await using here = await disk({
    'project/.claude/skills/a/SKILL.md': skill('a'),
    'project/.gitignore': '.claude/skills/b\n',
  });
  const repo = await initRepo(here.at('project'));
  await repo.commit('x');
  const worktree = here.at('project/.claude/worktrees/bob');
  await repo.git('worktree', 'add', '--quiet', worktree);
  await mkdir(here.at('project/.claude/skills/b'));
  await writeFile(here.at('project/.claude/skills/b/SKILL.md'), skill('b'));
  const { skills, overridden } = await loadSkills({ ...here.places, cwd: worktree });
  expect([...skills.values()].map(({ folder }) => folder)).toEqual([
    join(worktree, '.claude/skills/a'),
    here.at('project/.claude/skills/b'),
  ]);
  expect(overridden).toEqual([]);
});

test('a name is looked for as it is, then with the plugin’s, then as the end of just one', async () => {
  await using here = await disk({
    'plugins/one/skills/a/SKILL.md': skill('a'),
    'plugins/one/skills/b/SKILL.md': skill('b'),
    'plugins/two/skills/a/SKILL.md': skill('a'),
  });
  const loaded = await here.load();
  const find = (name: string, plugin?: string) => findSkill(loaded, name, plugin)?.name;
  expect([find('one:a'), find('a', 'two'), find('b'), find('a')]).toEqual(['one:a', 'two:a', 'one:b', undefined]);
});

const textOf = (body: string, args: string) =>
  piecesOf(body, args, '/skill')
    .map((piece) => (piece.kind === 'text' ? piece.text : `<${piece.command}>`))
    .join('');

test.each([
  ['Fix $ARGUMENTS.', 'a b', 'Fix a b.'],
  ['$ARGUMENTS[1] then $0', '"a b" c', 'c then a b'],
  ['$ARGUMENTS[5]|$5', 'a', '|$5'],
  ['Costs $5.00 or $10x', 'a', 'Costs $5.00 or $10x\n\nArguments: a'],
  ['No place.', '', 'No place.'],
  ['See ${CLAUDE_SKILL_DIR}/x', '', 'See /skill/x'],
  ['On !`git log $0` now', 'main', 'On <git log main> now'],
  ['It is !`x`y and a!`b`', '', 'It is <x>y and a!`b`'],
  ['$ARGUMENTS', '!`rm x` $0', '!`rm x` $0'],
])('%j with %j is %j', (body, args, expected) => {
  expect(textOf(body, args)).toBe(expected);
});

test('arguments are words, quoted ones whole', () => {
  expect(argumentsIn(`a "b \\"c\\" d" 'e f' --g="h"`)).toEqual(['a', 'b "c" d', 'e f', '--g="h"']);
});

test.each([
  ['[message]', '[message]'],
  ['[pr-number] [priority]', '[pr-number] [priority]'],
  ['[file, mode]', '[file, mode]'],
  ['add [id] | remove: [id]', 'add [id] | remove: [id]'],
  ['"quoted"', 'quoted'],
])('an argument hint is text, as people write it: %s', async (written, hint) => {
  const { skill: command, warnings } = await parseCommand(
    `---\nargument-hint: ${written}\n---\nDo.\n`,
    'c.md',
    'user',
    'c',
  );
  expect({ hint: command.argumentHint, warnings }).toEqual({ hint, warnings: [] });
});

test('hooks of a skill are told not to run', async () => {
  const hooks = 'hooks:\n  Stop:\n    - hooks: [{ type: command, command: x }]\n';
  const { warnings } = await parseCommand(`---\n${hooks}---\nDo.\n`, 'c.md', 'user', 'c');
  expect(warnings).toEqual(['c.md:2: "hooks" of a skill are never run: put them into settings or an agent.']);
});
