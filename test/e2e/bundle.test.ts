import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Script } from 'node:vm';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { tempDir } from '../helpers/tempDir.js';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const MAX_BYTES = 150 * 1024;
/** What costs more to load than a short command may take. */
const HEAVY =
  /node_modules\/(@anthropic-ai\/sdk|gray-matter|js-yaml|yaml|execa|string-width|zod\/v4\/classic|zod\/index)/;

/** Source → what it imports. */
const Imports = z.record(
  z.string(),
  z.object({ imports: z.array(z.object({ path: z.string(), kind: z.string(), external: z.optional(z.boolean()) })) }),
);
const Metafile = z.object({
  /** File of dist/ → what it is made of, and what else it asks for. */
  outputs: z.record(
    z.string(),
    z.object({
      imports: z.array(z.object({ path: z.string() })),
      inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })),
    }),
  ),
  program: Imports,
  everyday: Imports,
});
const meta = Metafile.parse(JSON.parse(readFileSync(at('dist/meta.json'), 'utf8')));
const { outputs } = meta;

/** What a bundle evaluates as soon as it has these: its sources, their bytes, and the libraries beside it. */
function evaluatedWith(bundle: 'program' | 'everyday', ...starts: string[]) {
  const sources = new Set(starts);
  const beside = new Set<string>();
  for (const source of sources) {
    for (const { path, kind, external } of meta[bundle][source]?.imports ?? []) {
      if (kind === 'dynamic-import') continue;
      if (external !== true) sources.add(path);
      else if (path.startsWith('./')) beside.add(path);
    }
  }
  const sizes = [...sources].map((source) => outputs[`dist/${bundle}.cjs`]?.inputs[source]?.bytesInOutput ?? 0);
  return { sources: [...sources], beside: [...beside], bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function expectLight({ sources, beside, bytes }: ReturnType<typeof evaluatedWith>): void {
  expect(beside).toEqual([]);
  expect(sources.filter((source) => HEAVY.test(source))).toEqual([]);
  expect(bytes).toBeLessThan(MAX_BYTES);
}

const packed = (output: string) =>
  Object.entries(outputs[output]?.inputs ?? {}).flatMap(([input, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [input] : [],
  );
const everyday = readFileSync(at('dist/everyday.txt'), 'utf8').split('\n');

test.each(everyday)('%s starts with less than 150 KB and none of the heavy libraries', (command) => {
  const own = `src/cli/commands/${command}.ts`;
  expect(packed('dist/everyday.cjs')).toContain(own);
  expectLight(evaluatedWith('everyday', 'src/cli/main.ts', 'src/cli/program.ts', own));
});

test('send and status are everyday commands', () => {
  expect(everyday).toEqual(expect.arrayContaining(['send', 'status']));
});

test('a teammate starts with less than 150 KB and none of the heavy libraries', () => {
  const loaded = evaluatedWith('program', 'src/cli/main.ts', 'src/cli/commands/teammate.ts');
  expect(loaded.sources).toContain('src/app/members/teammate.ts');
  expectLight(loaded);
});

test('every file that the program may load is there', () => {
  const named = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const ours = new Set(named.filter((path) => path.startsWith('./')));
  expect(ours).toContain('./anthropic-sdk.cjs');
  expect([...ours].filter((path) => !existsSync(at(`dist/${path}`)))).toEqual([]);
});

const { load, loadedScripts } = createRequire(import.meta.url)(at('bin/cached.js')) as {
  load(file: string): { readonly said?: string };
  loadedScripts(): ReadonlyMap<string, Script>;
};

test('V8 takes the code that is kept of the program and of what a member at work loads', () => {
  for (const name of ['program', 'everyday', 'anthropic-sdk', 'execa', 'tree-sitter', 'zod-json-schema'])
    load(at(`dist/${name}.cjs`));
  const refused = [...loadedScripts()].filter(([, { cachedDataRejected }]) => cachedDataRejected !== false);
  expect(refused.map(([file]) => file)).toEqual([]);
});

test.each([
  { kept: 'no code', cache: () => undefined },
  { kept: 'code of an older bundle of the same length', cache: (older: Buffer) => older },
  { kept: 'no code but rubbish', cache: () => Buffer.from('rubbish') },
])('of a bundle with $kept beside it the text counts', async ({ cache }) => {
  await using dir = await tempDir();
  const bundle = (name: string, word: string) => {
    const text = `(function(exports){exports.said='${word}'})\n`;
    const file = join(dir.path, name);
    writeFileSync(file, `${text}//${createHash('sha256').update(text).digest('hex')}`);
    return file;
  };
  const older = bundle('older.cjs', 'one');
  expect(load(older).said).toBe('one');
  const code = loadedScripts().get(older)?.createCachedData() ?? Buffer.alloc(0);
  const newer = bundle('newer.cjs', 'two');
  const kept = cache(Buffer.concat([Buffer.from(readFileSync(older, 'latin1').slice(-64)), code]));
  if (kept) writeFileSync(`${newer}.cache`, kept);
  expect(load(newer).said).toBe('two');
});

test('the licence of whatever is bundled is told', () => {
  const told = readFileSync(at('dist/THIRD-PARTY.txt'), 'utf8');
  const packages = Object.keys(outputs)
    .flatMap(packed)
    .flatMap((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  expect(packages.length).toBeGreaterThan(0);
  expect([...new Set(packages)].filter((name) => !told.includes(`\n${name} `))).toEqual([]);
});

test.each([
  ['--version', 'package.json'],
  ['--help', 'dist/help.txt'],
])('%s is answered without a part of the program', async (flag, source) => {
  await using dir = await tempDir();
  for (const path of ['bin/troupe.js', 'bin/package.json', 'package.json', 'dist/help.txt'])
    await cp(at(path), join(dir.path, path));
  const answer = execFileSync(process.execPath, [join(dir.path, 'bin', 'troupe.js'), flag], { encoding: 'utf8' });
  expect(readFileSync(at(source), 'utf8')).toContain(answer.trim());
});
