import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { globTool } from '../../src/tools/glob.js';
import { grepTool } from '../../src/tools/grep.js';
import { tempDir } from '../helpers/tempDir.js';
import { textOf, toolContext, use } from './context.js';

/** A folder with these files, each a second older than the one before it. */
async function folderOf(files: Readonly<Record<string, string>>) {
  const dir = await tempDir();
  for (const [index, [name, content]] of Object.entries(files).entries()) {
    const path = join(dir.path, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await utimes(path, 1_000_000 - index, 1_000_000 - index);
  }
  return dir;
}

it('finds files by name, newest first, without what git keeps', async () => {
  await using dir = await folderOf({
    'b.ts': '',
    'src/deep/a.ts': '',
    '.hidden/c.ts': '',
    '.git/d.ts': '',
    'e.js': '',
  });
  const found = await textOf(globTool, { pattern: '**/*.ts' }, toolContext(dir.path));
  expect(found.split('\n')).toEqual([`${dir.path}/b.ts`, `${dir.path}/src/deep/a.ts`, `${dir.path}/.hidden/c.ts`]);
  expect(await textOf(globTool, { pattern: '*.py' }, toolContext(dir.path))).toBe(
    `No file matches *.py in ${dir.path}.`,
  );
});

it('shows the newest 100 files and says how many there are', async () => {
  await using dir = await folderOf(Object.fromEntries(Array.from({ length: 105 }, (_, index) => [`${index}.ts`, ''])));
  const found = (await textOf(globTool, { pattern: '*' }, toolContext(dir.path))).split('\n');
  expect(found).toHaveLength(101);
  expect(found.at(-1)).toMatch(/newest 100 of 105/);
});

it('is judged by the folder that a pattern really starts in', () => {
  const startOf = (pattern: string) => globTool.prepare({ pattern }, toolContext('/nowhere')).access;
  expect(startOf('src/*')).toEqual({ kind: 'read', paths: ['/nowhere'] });
  expect(startOf('/etc/ssl/*.pem')).toEqual({ kind: 'read', paths: ['/etc/ssl'] });
  expect(startOf('/{etc,usr}/*')).toEqual({ kind: 'read', paths: ['/'] });
  expect(startOf('/*/x')).toEqual({ kind: 'read', paths: ['/'] });
  for (const pattern of ['../*', 'a/../../*', '{..,a}/*'])
    expect(() => startOf(pattern)).toThrow(/must not hold "\.\."/);
});

it('follows no link out of the folder', async () => {
  await using outside = await folderOf({ 'secret.ts': 'needle' });
  await using dir = await folderOf({ 'a.ts': 'needle' });
  await symlink(outside.path, join(dir.path, 'link'));
  expect(await textOf(globTool, { pattern: '**/*.ts' }, toolContext(dir.path))).toBe(`${dir.path}/a.ts`);
  expect(await textOf(grepTool, { pattern: 'needle' }, toolContext(dir.path))).toBe(`${dir.path}/a.ts`);
});

it('leaves out of a search what must not be read', async () => {
  await using dir = await folderOf({ 'a.ts': 'needle', '.env': 'needle=1' });
  const context = toolContext(dir.path, { mayRead: (path) => !path.endsWith('.env') });
  for (const output_mode of ['content', 'files_with_matches', 'count']) {
    expect(await textOf(grepTool, { pattern: 'needle', output_mode }, context)).not.toContain('.env');
  }
  expect(await textOf(globTool, { pattern: '*' }, context)).toBe(`${dir.path}/a.ts`);
});

it('finds files with a match, newest first, leaving out what is ignored', async () => {
  await using dir = await folderOf({
    'b.ts': 'needle',
    'a.ts': 'needle',
    'c.js': 'needle',
    '.git/config': 'needle',
    '.gitignore': 'out/\n',
    'out/x.ts': 'needle',
    'd.ts': '',
  });
  await mkdir(join(dir.path, '.git/objects'), { recursive: true });
  const context = toolContext(dir.path);
  expect((await textOf(grepTool, { pattern: 'needle' }, context)).split('\n')).toEqual(
    ['b.ts', 'a.ts', 'c.js'].map((name) => join(dir.path, name)),
  );
  expect(await textOf(grepTool, { pattern: 'needle', glob: '*.js' }, context)).toBe(join(dir.path, 'c.js'));
  expect(await textOf(grepTool, { pattern: 'needle', type: 'js' }, context)).toBe(join(dir.path, 'c.js'));
  expect(await textOf(grepTool, { pattern: 'NEEDLE' }, context)).toBe(`Nothing in ${dir.path} matches NEEDLE.`);
  expect(await textOf(grepTool, { pattern: 'NEEDLE', '-i': true, glob: '*.js' }, context)).toBe(join(dir.path, 'c.js'));
  expect(await textOf(grepTool, { pattern: 'config', glob: '**/config' }, context)).toMatch(/^Nothing/);
});

it('shows matching lines under their file, with numbers and context', async () => {
  await using dir = await folderOf({ 'a:1-b.txt': 'one\ntwo\nthree\nfour\n', 'z.txt': 'two two\n' });
  const content = (more: object) =>
    textOf(grepTool, { pattern: 'two', output_mode: 'content', ...more }, toolContext(dir.path));
  const [a, z] = [`${dir.path}/a:1-b.txt`, `${dir.path}/z.txt`];
  expect(await content({})).toBe(`${a}\n2:two\n${z}\n1:two two`);
  expect(await content({ '-n': false, '-o': true })).toBe(`${a}\ntwo\n${z}\ntwo\ntwo`);
  expect(await content({ '-C': 1, path: a })).toBe(`${a}\n1-one\n2:two\n3-three`);
  expect(await content({ '-A': 1, path: a })).toBe(`${a}\n2:two\n3-three`);
  expect(await textOf(grepTool, { pattern: 'two', output_mode: 'count' }, toolContext(dir.path))).toBe(
    `${a}: 1\n${z}: 1`,
  );
  expect(await content({ pattern: 'one.two', multiline: true })).toBe(`${a}\n1:one\n2:two`);
});

it('shows as many results as asked for, and how to see the others', async () => {
  await using dir = await folderOf({ 'a.txt': 'x1\nx2\nx3\nx4\n' });
  const page = (more: object) =>
    textOf(grepTool, { pattern: 'x', output_mode: 'content', ...more }, toolContext(dir.path));
  expect(await page({ head_limit: 2, offset: 1 })).toBe(
    `${dir.path}/a.txt\n2:x2\n3:x3\n[2 of 4 results, from 1. Go on with offset 3, or narrow the search.]`,
  );
  expect(await page({ head_limit: 0 })).toMatch(/4:x4$/);
  expect(await page({ offset: 9 })).toMatch(/only 4 results/);
});

it("gives ripgrep's own words for a pattern it cannot read, and takes a dash for no option", async () => {
  await using dir = await folderOf({ 'a.txt': '--pre=evil\n' });
  await expect(use(grepTool, { pattern: 'a(' }, toolContext(dir.path))).rejects.toThrow(/regex parse error/);
  await expect(use(grepTool, { pattern: 'a', path: 'b.txt' }, toolContext(dir.path))).rejects.toThrow(
    /Did you mean .*a\.txt/,
  );
  expect(await textOf(grepTool, { pattern: '--pre=evil' }, toolContext(dir.path))).toBe(`${dir.path}/a.txt`);
});
