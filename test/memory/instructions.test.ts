import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createInstructions, type InstructionPlaces } from '../../src/memory/instructions.js';
import { importsIn, withoutBlockComments } from '../../src/memory/markdownText.js';
import { initRepo } from '../helpers/gitRepo.js';
import { tempDir } from '../helpers/tempDir.js';

/** A user's home, an administrator's folder, and a repository `home/code/project` below folders that are nobody's. */
async function disk(files: Readonly<Record<string, string | Uint8Array>> = {}, more: Partial<InstructionPlaces> = {}) {
  const dir = await tempDir();
  const at = (path: string) => join(dir.path, path);
  const project = at('home/code/project');
  await initRepo(project);
  const write = async (path: string, text: string | Uint8Array) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const places = { cwd: project, userHome: at('home'), managed: at('etc'), trusted: false, ...more };
  const instructions = createInstructions(places);
  return {
    at,
    write,
    project,
    places,
    instructions,
    /** The words in capitals of what is told, in order. */
    opening: async () => words(await instructions.opening()),
    touched: async (...paths: string[]) => words(await instructions.touched(paths.map(at))),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const words = (text: string) => text.match(/\b[A-Z]+-[A-Z]+\b/g) ?? [];

test('instructions come from the outermost to the nearest: managed, user, every folder down to the directory, local ones behind the shared', async () => {
  await using here = await disk({
    'etc/CLAUDE.md': 'IS-MANAGED',
    'home/.claude/CLAUDE.md': 'IS-USER',
    'home/.claude/rules/all.md': 'USER-RULE',
    'home/code/CLAUDE.md': 'IS-ABOVE',
    'home/code/project/CLAUDE.local.md': 'IS-LOCAL',
    'home/code/project/CLAUDE.md': 'IS-PROJECT',
    'home/code/project/.claude/CLAUDE.md': 'IS-HIDDEN',
    'home/code/project/.claude/rules/deep/er.md': 'IS-RULE',
    'home/code/project/part/.claude/CLAUDE.md': 'IS-PART',
    'home/code/project/AGENTS.md': 'IS-AGENTS',
  });
  const instructions = createInstructions({ ...here.places, cwd: join(here.project, 'part') });
  expect(words(await instructions.opening())).toEqual(
    'IS-MANAGED IS-USER USER-RULE IS-ABOVE IS-PROJECT IS-HIDDEN IS-RULE IS-LOCAL IS-PART'.split(' '),
  );
});

test('imports are followed over four files, from where the importing file lies, each once, and never out of code', async () => {
  await using here = await disk({
    'home/code/project/CLAUDE.md':
      'See @docs/one.md, and `@docs/span.md` \n```\n@docs/fence.md\n```\n@docs/my\\ notes.md <!-- is no block -->\n<!-- @docs/comment.md\nIS-HIDDEN -->IS-BEHIND',
    'home/code/project/docs/one.md': 'HOP-ONE @two.md @../CLAUDE.md',
    'home/code/project/docs/two.md': 'HOP-TWO @three.md',
    'home/code/project/docs/three.md': 'HOP-THREE @four.md',
    'home/code/project/docs/four.md': 'HOP-FOUR @five.md @one.md',
    'home/code/project/docs/five.md': 'HOP-FIVE',
    'home/code/project/docs/my notes.md': 'WITH-SPACE',
    ...Object.fromEntries(
      ['span', 'fence', 'comment'].map((name) => [`home/code/project/docs/${name}.md`, 'NOT-TOLD']),
    ),
  });
  expect(await here.opening()).toEqual('IS-BEHIND HOP-ONE HOP-TWO HOP-THREE HOP-FOUR WITH-SPACE'.split(' '));
  expect(await here.instructions.problems()).toEqual([expect.stringContaining('five.md is left out')]);
});

test('a word with an @ is no import; a path that is not there is told of', async () => {
  await using here = await disk({
    'home/code/project/CLAUDE.md': 'Use @types/node, write to me@x.org, see @./gone.md',
  });
  await here.opening();
  expect(await here.instructions.problems()).toEqual([expect.stringMatching(/gone\.md.*does not exist/)]);
});

test('what a project imports from outside of it, by name or by a link, counts when it is trusted; a user’s own file may', async () => {
  const files = {
    'home/secret.md': 'IS-SECRET',
    'home/.claude/CLAUDE.md': '@~/mine.md',
    'home/mine.md': 'IS-MINE',
    'home/code/project/CLAUDE.md': '@~/secret.md @link.md',
  };
  await using here = await disk(files);
  await symlink(here.at('home/secret.md'), join(here.project, 'link.md'));
  expect(await here.opening()).toEqual(['IS-MINE']);
  expect(await here.instructions.problems()).toEqual([expect.stringMatching(/secret\.md lies outside/)]);
  const trusted = createInstructions({ ...here.places, trusted: true });
  expect(words(await trusted.opening())).toEqual(['IS-MINE', 'IS-SECRET']);
});

test('AGENTS.md counts where no CLAUDE.md is in the directory or above; the user’s own is no such file', async () => {
  await using here = await disk({
    'home/.claude/CLAUDE.md': 'IS-USER',
    'home/code/AGENTS.md': 'AGENTS-ABOVE',
    'home/code/project/AGENTS.md': 'AGENTS-HERE',
    'home/code/project/part/AGENTS.md': 'AGENTS-PART',
    'home/code/project/part/a.ts': '',
  });
  expect(await here.opening()).toEqual(['IS-USER', 'AGENTS-ABOVE', 'AGENTS-HERE']);
  expect(await here.touched('home/code/project/part/a.ts')).toEqual(['AGENTS-PART']);
  await here.write('home/code/project/CLAUDE.md', 'IS-CLAUDE');
  const told = async (files: InstructionPlaces['files']) =>
    words(await createInstructions({ ...here.places, files }).opening());
  expect(await told(undefined)).toEqual(['IS-USER', 'IS-CLAUDE']);
  expect(await told('claude-md-and-agents-md')).toEqual(['IS-USER', 'AGENTS-ABOVE', 'IS-CLAUDE', 'AGENTS-HERE']);
  await rm(join(here.project, 'CLAUDE.md'));
  expect(await told('claude-md')).toEqual(['IS-USER']);
  await here.write('etc/CLAUDE.md', 'IS-MANAGED');
  expect(await told('managed-only')).toEqual(['IS-MANAGED']);
});

test('a rule with paths is told when a file is touched that they match, a folder’s instructions when one below it is, each once', async () => {
  await using here = await disk({
    'home/code/project/.claude/rules/ts.md': '---\npaths: "src/**/*.{ts,tsx}"\n---\nFOR-TYPESCRIPT',
    'home/code/project/.claude/rules/root.md': '---\npaths: ["*.md"]\n---\nFOR-MARKDOWN',
    'home/code/project/.claude/rules/broken.md': '---\npaths: [\n---\nIS-BROKEN',
    'home/code/project/src/CLAUDE.md': 'IS-SRC',
    'home/code/project/src/deep/CLAUDE.md': 'IS-DEEP',
  });
  expect(await here.opening()).toEqual(['IS-BROKEN']);
  expect(await here.touched('home/code/project/docs/x.md', 'home/outside.ts')).toEqual([]);
  expect(await here.touched('home/code/project/README.md')).toEqual(['FOR-MARKDOWN']);
  const both = await Promise.all([
    here.touched('home/code/project/src/deep/a.tsx'),
    here.touched('home/code/project/src/deep/b.tsx'),
  ]);
  expect(both).toEqual([['IS-SRC', 'IS-DEEP', 'FOR-TYPESCRIPT'], []]);
  // A summary has taken them away: they are told again.
  await here.opening();
  expect(await here.touched('home/code/project/src/a.ts')).toEqual(['IS-SRC', 'FOR-TYPESCRIPT']);
  // Whoever goes on from this conversation knows of them.
  const copy = here.instructions.copy();
  expect(words(await copy.touched([here.at('home/code/project/src/deep/a.ts')]))).toEqual(['IS-DEEP']);
});

test('the same words in another folder are told there too, for what they import is another file', async () => {
  await using here = await disk({
    'home/code/project/CLAUDE.md': '@AGENTS.md',
    'home/code/project/AGENTS.md': 'IS-PROJECT',
    'home/code/project/a/CLAUDE.md': '@AGENTS.md',
    'home/code/project/a/AGENTS.md': 'IS-PART',
    'home/code/project/b/CLAUDE.md': 'USE-TABS',
    'home/code/project/c/CLAUDE.md': 'USE-TABS',
    'home/code/project/c/.claude/CLAUDE.md': 'USE-TABS',
  });
  expect(await here.opening()).toEqual(['IS-PROJECT']);
  expect(await here.touched('home/code/project/a/x.ts')).toEqual(['IS-PART']);
  expect(await here.touched('home/code/project/b/x.ts')).toEqual(['USE-TABS']);
  expect(await here.touched('home/code/project/c/x.ts')).toEqual(['USE-TABS']);
});

test('whoever reads an instruction file is not told the same behind it', async () => {
  await using here = await disk({ 'home/code/project/src/CLAUDE.md': 'IS-SRC' });
  await here.opening();
  expect(await here.touched('home/code/project/src/CLAUDE.md')).toEqual([]);
});

test('in a worktree its own files count, those of the main checkout where it has none, and nothing twice', async () => {
  await using here = await disk({
    'home/code/CLAUDE.md': 'IS-ABOVE',
    'home/code/project/CLAUDE.md': 'IS-OLD',
    'home/code/project/.gitignore': 'CLAUDE.local.md\n.claude/rules/mine.md\n',
  });
  const repo = await initRepo(here.project);
  await repo.commit('x');
  const worktree = join(here.project, '.claude/worktrees/bob');
  await repo.git('worktree', 'add', '--quiet', worktree);
  await here.write('home/code/project/CLAUDE.local.md', 'IS-LOCAL');
  await here.write('home/code/project/.claude/rules/mine.md', 'MY-RULE');
  await here.write('home/code/project/.claude/worktrees/bob/CLAUDE.md', 'IS-NEW');
  const instructions = createInstructions({ ...here.places, cwd: worktree });
  expect(words(await instructions.opening())).toEqual(['IS-ABOVE', 'IS-NEW', 'MY-RULE', 'IS-LOCAL']);
});

test('whoever goes into a worktree of its own checkout is told there only what differs', async () => {
  await using here = await disk({
    'home/code/project/CLAUDE.md': 'IS-SAME',
    'home/code/project/part/CLAUDE.md': 'IS-OLD',
  });
  const repo = await initRepo(here.project);
  await repo.commit('x');
  await repo.git('worktree', 'add', '--quiet', join(here.project, '.claude/worktrees/bob'));
  await here.write('home/code/project/.claude/worktrees/bob/part/CLAUDE.md', 'IS-NEW');
  expect(await here.opening()).toEqual(['IS-SAME']);
  expect(await here.touched('home/code/project/.claude/worktrees/bob/part/x.ts')).toEqual(['IS-NEW']);
});

test('a file that is none, cannot be read or is no text is named in a line, and the others are told', async () => {
  await using here = await disk({
    'home/CLAUDE.md': new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0x00, 0x01]),
    'home/code/CLAUDE.md': new Uint8Array([0x4e, 0xff, 0xfe]),
    'home/code/project/CLAUDE.local.md': 'IS-LOCAL',
    'home/code/project/.claude/CLAUDE.md/inner': 'is a folder',
  });
  await symlink('CLAUDE.md', join(here.project, 'CLAUDE.md'));
  expect(await here.opening()).toEqual(['IS-LOCAL']);
  expect(await here.instructions.problems()).toEqual([
    expect.stringMatching(/home\/CLAUDE\.md is left out: it is not text/),
    expect.stringMatching(/code\/CLAUDE\.md is left out: it is not UTF-8/),
    expect.stringMatching(/project\/CLAUDE\.md is left out: .*ELOOP/),
    expect.stringMatching(/\.claude\/CLAUDE\.md is left out: it is a folder/),
  ]);
});

test('excluded files are left out, an administrator’s never', async () => {
  await using here = await disk(
    { 'etc/CLAUDE.md': 'IS-MANAGED', 'home/code/CLAUDE.md': 'IS-ABOVE', 'home/code/project/CLAUDE.md': 'IS-PROJECT' },
    { excludes: ['**/code/CLAUDE.md', '/**/etc/CLAUDE.md'] },
  );
  expect(await here.opening()).toEqual(['IS-MANAGED', 'IS-PROJECT']);
});

test('much is told whole, with one line about it', async () => {
  await using here = await disk({ 'home/code/project/CLAUDE.md': `${'x '.repeat(20_001)}THE-END` });
  expect(await here.opening()).toEqual(['THE-END']);
  expect(await here.instructions.problems()).toEqual([expect.stringMatching(/40009 characters/)]);
});

test('no instructions, no words', async () => {
  await using here = await disk({ 'home/code/project/CLAUDE.md': '  \n' });
  expect(await here.instructions.opening()).toBe('');
});

test.each([
  ['<!-- a -->\nb', 'b'],
  ['a <!-- b --> c', 'a <!-- b --> c'],
  ['<!-- a', '<!-- a'],
  ['```\n<!-- a -->\n```', '```\n<!-- a -->\n```'],
  ['x\n  <!--\na\n\nb\n--> c\nd', 'x\nc\nd'],
])('a comment is taken out where it is a block of its own: %j', (text, expected) => {
  expect(withoutBlockComments(text)).toBe(expected);
});

test.each([
  ['@a @a @b', ['a', 'b']],
  ['``@a ` @b`` @c', ['c']],
  ['a ` b\n\n@c ` d', ['c']],
  ['~~~\n@a\n```\n@b\n~~~\n@c', ['c']],
  ['x@y.z', []],
])('imports of %j', (text, expected) => {
  expect(importsIn(text)).toEqual(expected);
});

test('an unreadable file is a line', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root reads everything');
  await using here = await disk({ 'home/code/project/CLAUDE.md': 'IS-SECRET' });
  await chmod(join(here.project, 'CLAUDE.md'), 0);
  expect(await here.opening()).toEqual([]);
  expect(await here.instructions.problems()).toHaveLength(1);
});
