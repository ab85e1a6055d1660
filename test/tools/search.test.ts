import { execFileSync } from 'node:child_process';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { globTool } from '../../src/tools/glob.js';
import { grepTool } from '../../src/tools/grep.js';
import { ripgrep } from '../../src/tools/support/ripgrep.js';
import { eventually } from '../helpers/eventually.js';
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
  for (const pattern of ['../*', 'a/../../*', '{..,a}/*', '@(a|..)/*', '..'])
    expect(() => startOf(pattern), pattern).toThrow(/must not hold "\.\."/);
});

it('takes dots within a name for a part of it', async () => {
  await using dir = await folderOf({ 'app/[...slug]/page.tsx': '', 'v1..v2': '' });
  const found = (pattern: string) => textOf(globTool, { pattern }, toolContext(dir.path));
  expect(await found('app/\\[...slug\\]/*')).toBe(`${dir.path}/app/[...slug]/page.tsx`);
  expect(await found('*..*')).toBe(`${dir.path}/v1..v2`);
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

it.each(['content', 'files_with_matches', 'count'])(
  'is not led astray by names of several lines, nor by what ripgrep says of binary files: %s',
  async (output_mode) => {
    const late = `needle\n${'x\n'.repeat(100_000)}\0`;
    await using dir = await folderOf({ 'secret/a\nb.ts': 'needle', 'secret/late': late, 'a\n"b".ts': 'needle' });
    const context = toolContext(dir.path, { mayRead: (path) => !path.startsWith(join(dir.path, 'secret')) });
    const name = JSON.stringify(`${dir.path}/a\n"b".ts`);
    const words = { content: `${name}\n1:needle`, files_with_matches: name, count: `${name}: 1` }[output_mode];
    expect(await textOf(grepTool, { pattern: 'needle', output_mode }, context)).toBe(words);
    expect(await textOf(globTool, { pattern: '**' }, context)).toBe(name);
    const named = { pattern: 'needle', output_mode: 'content', path: 'secret/late' };
    const [shown, ...others] = (await textOf(grepTool, named, toolContext(dir.path))).split('\n');
    expect([shown, others.join()]).toEqual([`${dir.path}/secret/late`, '1:needle']);
  },
);

it('says of what it cannot search what the model can do, not which flag ripgrep has', async () => {
  await using dir = await folderOf({ 'a.ts': 'x' });
  execFileSync('mkfifo', [join(dir.path, 'pipe')]);
  const grep = (input: object) => use(grepTool, input, toolContext(dir.path));
  await expect(grep({ pattern: 'a\\nb' })).rejects.toThrow(
    /is not allowed in a regex\nSet multiline to true to match across lines\.$/,
  );
  await expect(grep({ pattern: '(?<=x)y' })).rejects.toThrow(
    /look-around.* not supported\nUse a pattern without it, or grep -P with Bash\.$/s,
  );
  await expect(grep({ pattern: 'a\0b' })).rejects.toThrow('must not hold a NUL character');
  await expect(grep({ pattern: 'x', path: 'pipe' })).rejects.toThrow('neither a folder nor a regular file');
});

it.each<[string, string[]]>([
  ['*.ts,*.tsx', ['a.ts', 'b.tsx', 'my notes.ts']],
  ['*.ts *.js', ['a.ts', 'c.js', 'my notes.ts']],
  [' {a,b}.ts?, c.* ', ['b.tsx', 'c.js']],
  ['*.ts, !a.ts', ['my notes.ts']],
  ['my notes.ts', ['my notes.ts']],
  ['my\\ notes.ts', ['my notes.ts']],
  ['[a, b].ts', ['a.ts']],
  [',', ['a.ts', 'b.tsx', 'c.js', 'my notes.ts']],
])('searches files like any of the patterns in "%s"', async (glob, names) => {
  await using dir = await folderOf({ 'a.ts': 'x', 'b.tsx': 'x', 'c.js': 'x', 'my notes.ts': 'x' });
  const found = await textOf(grepTool, { pattern: 'x', glob }, toolContext(dir.path));
  expect(found.split('\n').sort()).toEqual(names.map((name) => join(dir.path, name)));
});

it('says of patterns that match nothing what may be wrong with them', async () => {
  await using dir = await folderOf({ '[id].ts': 'x' });
  const context = toolContext(dir.path);
  const glob = (pattern: string) => textOf(globTool, { pattern }, context);
  expect(await glob('*.js,*.css')).toBe(
    `No file matches *.js,*.css in ${dir.path}. If these are several patterns, put them in braces: {*.ts,*.tsx}.`,
  );
  const brackets = 'Brackets stand for one character of a set; for brackets in a name write \\[id\\].ts.';
  expect(await glob('[id].ts')).toBe(`No file matches [id].ts in ${dir.path}. ${brackets}`);
  expect(await glob('\\[id\\].ts')).toBe(join(dir.path, '[id].ts'));
  expect(await textOf(grepTool, { pattern: 'x', glob: '[id].ts' }, context)).toBe(
    `Nothing in ${dir.path} matches x in files like [id].ts. ${brackets}`,
  );
  await expect(use(grepTool, { pattern: 'x', type: 'tsx' }, context)).rejects.toThrow(
    'unrecognized file type: tsx. Leave type out and give a glob, such as *.ts.',
  );
});

it('says of a link that leads nowhere, and of a path through a file, that it is so', async () => {
  await using dir = await folderOf({ 'a.ts': 'x' });
  await symlink('loop', join(dir.path, 'loop'));
  for (const tool of [globTool, grepTool]) {
    const search = (path: string) => use(tool, { pattern: 'x', path }, toolContext(dir.path));
    await expect(search('loop')).rejects.toThrow(`${dir.path}/loop is a link to loop, which leads nowhere.`);
    await expect(search('a.ts/b')).rejects.toThrow(`${dir.path}/a.ts/b does not exist: ${dir.path}/a.ts is no folder.`);
  }
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

it('gives as many results as fit and where to go on, so that none is lost', async () => {
  const lines = Array.from({ length: 200 }, (_, index) => `needle ${index} ${'x'.repeat(400)}`);
  await using dir = await folderOf({ 'a.txt': lines.join('\n') });
  const seen: string[] = [];
  for (let offset = 0; offset < 200; ) {
    const page = await textOf(grepTool, { pattern: 'needle', output_mode: 'content', offset }, toolContext(dir.path));
    expect(page.length).toBeLessThan(31_000);
    seen.push(...[...page.matchAll(/needle (\d+) /g)].map(([, number = '']) => number));
    const next = /of 200 results, from \d+\. Go on with offset (\d+)/.exec(page)?.[1];
    offset = Number(next ?? 200);
  }
  expect(seen).toEqual(lines.map((_, index) => `${index}`));
});

it('counts on behind what it shows, but not for ever', async () => {
  const many = (count: number) => Array.from({ length: count }, () => 'needle').join('\n');
  await using dir = await folderOf({ 'a.txt': many(5_000), 'b.txt': many(5_000), 'c.txt': many(300_000) });
  const search = (pattern: string, more = {}) =>
    textOf(grepTool, { pattern, output_mode: 'content', head_limit: 1, ...more }, toolContext(dir.path));
  expect(await search('needle', { glob: '[ab].txt' })).toBe(
    `${dir.path}/a.txt\n1:needle\n[1 of 10000 results, from 0. Go on with offset 1, or narrow the search.]`,
  );
  expect(await search('needle')).toMatch(/\n\[1 of more than 10001 results, from 0\./);
});

it('orders many results as few: files by name, or the newest first', async () => {
  const names = Array.from({ length: 2100 }, (_, index) => `${String(index).padStart(4, '0')}.txt`);
  await using dir = await folderOf(Object.fromEntries(names.toReversed().map((name) => [name, 'needle'])));
  const found = (more: object) =>
    textOf(grepTool, { pattern: 'needle', head_limit: 3, ...more }, toolContext(dir.path));
  expect(await found({ output_mode: 'count' })).toMatch(/0000\.txt: 1\n.*0001\.txt: 1\n.*0002\.txt: 1\n\[3 of 2100 /);
  expect(await found({})).toMatch(/2099\.txt\n.*2098\.txt\n.*2097\.txt\n\[3 of 2100 /);
  expect(await found({ glob: '000*' })).toMatch(/0009\.txt\n.*0008\.txt\n.*0007\.txt\n\[3 of 10 /);
});

it.each([
  ['*.ts', ['a.ts']],
  ['./*.ts', ['a.ts']],
  ['**/*.ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'node_modules/d.ts']],
  ['src/**', ['src/b.ts', 'src/deep/c.ts', 'src/e f.js']],
  ['src', []],
  ['{src,node_modules}/*.ts', ['src/b.ts', 'node_modules/d.ts']],
  ['src/[a-b].ts', ['src/b.ts']],
  ['src/?.ts', ['src/b.ts']],
  ['src/@(b|x).ts', ['src/b.ts']],
  ['src/!(b).*', ['src/e f.js']],
  ['-*', ['-dash.md']],
])('finds by the pattern %s, ignored files too', async (pattern, names) => {
  await using dir = await folderOf(
    Object.fromEntries(
      ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'node_modules/d.ts', 'src/e f.js', '-dash.md'].map((name) => [name, '']),
    ),
  );
  await writeFile(join(dir.path, '.gitignore'), 'node_modules\n*.js\n');
  await mkdir(join(dir.path, '.git'));
  const found = await textOf(globTool, { pattern }, toolContext(dir.path));
  const paths = found.startsWith('No file') ? [] : found.split('\n');
  expect(paths.filter((path) => !path.endsWith('.gitignore')).sort()).toEqual(
    names.map((name) => join(dir.path, name)).sort(),
  );
});

it('ends with its call: a search that is cancelled leaves no program behind', async () => {
  await using dir = await folderOf({ 'a.txt': 'needle' });
  // A pipe that nobody writes into keeps ripgrep waiting.
  execFileSync('mkfifo', [join(dir.path, 'pipe')]);
  const abort = new AbortController();
  const search = ripgrep(['needle', '--', join(dir.path, 'pipe')], { cwd: '/', signal: abort.signal }).next();
  const programs = () =>
    execFileSync('sh', ['-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "; true'], { encoding: 'utf8' });
  await eventually(() => expect(programs()).toContain(`-- ${dir.path}/pipe`));
  abort.abort(new Error('stop'));
  await expect(search).rejects.toThrow('stop');
  await eventually(() => expect(programs()).not.toContain(`-- ${dir.path}/pipe`));
});
