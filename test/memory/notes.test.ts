import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { folderNameOf, openNotes } from '../../src/memory/notes.js';
import { tempDir } from '../helpers/tempDir.js';

async function disk(files: Readonly<Record<string, string>> = {}) {
  const dir = await tempDir();
  const at = (path: string) => join(dir.path, path);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  for (const folder of ['home', 'project']) await mkdir(at(folder));
  for (const [path, text] of Object.entries(files)) await write(path, text);
  const places = { userHome: at('home'), mainRoot: at('project'), trusted: true };
  return { at, write, places, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

test('each scope has a folder of its own, which opening does not make', async () => {
  await using here = await disk();
  const folders = await Promise.all(
    (['user', 'project', 'local'] as const).map(async (scope) => (await openNotes('a:b', scope, here.places)).folder),
  );
  expect(folders).toEqual([
    here.at('home/.claude/agent-memory/a-b'),
    here.at('project/.claude/agent-memory/a-b'),
    here.at('project/.claude/agent-memory-local/a-b'),
  ]);
  expect(await readdir(here.at('project'))).toEqual([]);
});

test.each([
  ['plugin:tester', 'plugin-tester'],
  ['../../x', '---..-x'],
  ['ärger 1', 'ärger-1'],
  ['.hidden', '-hidden'],
])('the name %j makes the folder %j', (name, folder) => {
  expect(folderNameOf(name)).toBe(folder);
});

test('the first 200 lines or 25 KB of MEMORY.md are shown, never half a line, with a word about the rest', async () => {
  const path = 'project/.claude/agent-memory/a/MEMORY.md';
  await using here = await disk({ [path]: `${'one\n'.repeat(199)}last\nnot shown\n` });
  const text = async () => (await openNotes('a', 'project', here.places)).text;
  expect(await text()).toContain('one\nlast\n</memory-index>\n(The rest is not shown');
  expect(await text()).not.toContain('not shown\n');
  await here.write(path, `${`${'ä'.repeat(500)}\n`.repeat(30)}`);
  const shown = (await text()).match(/ä+/g) ?? [];
  expect(shown.map(({ length }) => length)).toEqual(Array(25).fill(500));
  await here.write(path, 'short\n');
  expect(await text()).toMatch(/short\n<\/memory-index>$/);
});

test('a folder or a link that leads elsewhere is refused, also one to nothing; a linked MEMORY.md is not read', async () => {
  await using here = await disk({ 'elsewhere/MEMORY.md': 'IS-SECRET', 'project/.claude/agent-memory/b/x.md': '' });
  await symlink(here.at('elsewhere'), here.at('project/.claude/agent-memory/a'));
  await expect(openNotes('a', 'project', here.places)).rejects.toThrow(/leads to .*elsewhere/);
  await symlink(here.at('nowhere'), here.at('project/.claude/agent-memory/c'));
  await expect(openNotes('c', 'project', here.places)).rejects.toThrow(/link to nothing/);
  await symlink(here.at('elsewhere/MEMORY.md'), here.at('project/.claude/agent-memory/b/MEMORY.md'));
  const { text } = await openNotes('b', 'project', here.places);
  expect(text).toContain('is a link and is not read');
  expect(text).not.toContain('IS-SECRET');
});

test.each(['.git/hooks', '.claude/agent-memory/b', 'src'])(
  'the notes of a project’s agent lie in no other folder of it: %s',
  async (place) => {
    await using here = await disk({ [`project/${place}/x`]: '', 'project/.claude/agent-memory/c/x': '' });
    await symlink(here.at(`project/${place}`), here.at('project/.claude/agent-memory/a'));
    await expect(openNotes('a', 'project', here.places)).rejects.toThrow(/leads to .* and is not used/);
    await symlink(here.at('project/.claude/agent-memory'), here.at('project/.claude/agent-memory-local'));
    await expect(openNotes('c', 'local', here.places)).rejects.toThrow('leads to');
  },
);

test('a user’s folder of settings may be a link: it is the user’s', async () => {
  await using here = await disk({ 'dotfiles/claude/x': '' });
  await symlink(here.at('dotfiles/claude'), here.at('home/.claude'));
  expect((await openNotes('a', 'user', here.places)).folder).toBe(here.at('dotfiles/claude/agent-memory/a'));
});

const SNAPSHOT = 'project/.claude/agent-memory-snapshots/a';

test('a snapshot becomes the memory of an agent that has none; a newer one is announced until it is taken over, and changes nothing', async () => {
  await using here = await disk({ [`${SNAPSHOT}/MEMORY.md`]: 'as shipped', [`${SNAPSHOT}/more/x.md`]: 'more' });
  await symlink('/etc/passwd', here.at(`${SNAPSHOT}/link`));
  const open = () => openNotes('a', 'project', here.places);
  const { folder, text } = await open();
  expect(text).toContain('as shipped');
  expect((await readdir(folder)).sort()).toEqual(['.snapshot', 'MEMORY.md', 'more']);
  expect((await readdir(dirname(folder))).sort()).toEqual(['a']);
  expect((await open()).text).not.toContain('have not taken over');

  await writeFile(join(folder, 'MEMORY.md'), 'mine');
  await here.write(`${SNAPSHOT}/MEMORY.md`, 'newer');
  const [, stamp = ''] = /write "(\w+)" into/.exec((await open()).text) ?? [];
  expect(stamp).toMatch(/^[0-9a-f]{16}$/);
  expect(await readFile(join(folder, 'MEMORY.md'), 'utf8')).toBe('mine');
  await writeFile(join(folder, '.snapshot'), `${stamp}\n`);
  expect((await open()).text).not.toContain('have not taken over');
});

test('a snapshot that is a link, or lies behind one, is not taken over: what it leads to nobody may read unasked', async () => {
  await using here = await disk({ 'secrets/a/MEMORY.md': 'IS-SECRET' });
  await here.write('project/.claude/x', '');
  await symlink(here.at('secrets'), here.at('project/.claude/agent-memory-snapshots'));
  const { text, folder } = await openNotes('a', 'project', here.places);
  expect(text).toContain('is a link to');
  expect(text).not.toContain('IS-SECRET');
  await expect(readdir(folder)).rejects.toThrow('ENOENT');
});

test('two agents that begin at once have one whole copy of the snapshot', async () => {
  await using here = await disk({ [`${SNAPSHOT}/MEMORY.md`]: 'as shipped' });
  const opened = await Promise.all([1, 2, 3].map(() => openNotes('a', 'local', here.places)));
  for (const { text } of opened) {
    expect(text).toContain('as shipped');
    expect(text).not.toContain('ENOTEMPTY');
  }
  expect(await readdir(here.at('project/.claude/agent-memory-local'))).toEqual(['a']);
});

test('a project that is not trusted brings nothing into the user’s memory', async () => {
  await using here = await disk({ [`${SNAPSHOT}/MEMORY.md`]: 'as shipped' });
  expect((await openNotes('a', 'user', { ...here.places, trusted: false })).text).not.toContain('as shipped');
  expect((await openNotes('a', 'project', { ...here.places, trusted: false })).text).toContain('as shipped');
});
