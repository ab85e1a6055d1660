import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { tempDir } from '../helpers/tempDir.js';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const MAX_BYTES = 150 * 1024;
/** What costs more to load than a short command may take. */
const HEAVY =
  /node_modules\/(@anthropic-ai\/sdk|blessed|gray-matter|js-yaml|yaml|execa|string-width|zod\/v4\/classic|zod\/index)/;

const Metafile = z.object({
  outputs: z.record(
    z.string(),
    z.object({
      bytes: z.number(),
      entryPoint: z.optional(z.string()),
      imports: z.array(z.object({ path: z.string(), kind: z.string(), external: z.optional(z.boolean()) })),
      inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })),
    }),
  ),
});
const { outputs } = Metafile.parse(JSON.parse(readFileSync(at('dist/meta.json'), 'utf8')));

/** The outputs that are loaded, at once, with these ones. */
function closureOf(...starts: (string | undefined)[]): string[] {
  const loaded = new Set(starts.filter((start) => start !== undefined));
  for (const path of loaded) {
    for (const { path: next, kind, external } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) loaded.add(next);
  }
  return [...loaded];
}

function inputsOf(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    Object.entries(outputs[path]?.inputs ?? {}).flatMap(([input, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [input] : [],
    ),
  );
}

const bytesOf = (paths: readonly string[]) => paths.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
const everyday = readFileSync(at('dist/everyday.txt'), 'utf8').split('\n');

test.each(everyday)('%s starts with one file of less than 150 KB, and none of the heavy libraries', (command) => {
  const loaded = closureOf('dist/everyday.cjs');
  expect(loaded).toEqual(['dist/everyday.cjs']);
  const inputs = inputsOf(loaded);
  expect(inputs).toContain(`src/cli/commands/${command}.ts`);
  expect(inputs.filter((input) => HEAVY.test(input))).toEqual([]);
  expect(bytesOf(loaded)).toBeLessThan(MAX_BYTES);
});

test('send and status are everyday commands', () => {
  expect(everyday).toEqual(expect.arrayContaining(['send', 'status']));
});

test('a teammate starts with less than 150 KB and none of the heavy libraries', () => {
  const [own] =
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'src/cli/commands/teammate.ts') ?? [];
  expect(own, 'no part of its own for teammate: is it imported lazily?').toBeDefined();
  const loaded = closureOf('dist/main.js', own);
  expect(inputsOf(loaded).filter((input) => HEAVY.test(input))).toEqual([]);
  expect(bytesOf(loaded)).toBeLessThan(MAX_BYTES);
});

test('every part that the program may load is there', () => {
  const named = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const ours = named.map((path) => path.replace(/^\.\//, 'dist/')).filter((path) => path.startsWith('dist/'));
  expect([...new Set(ours)].filter((path) => !existsSync(at(path)))).toEqual([]);
});

test('the licence of whatever is bundled is told', () => {
  const told = readFileSync(at('dist/THIRD-PARTY.txt'), 'utf8');
  const packages = inputsOf(Object.keys(outputs)).flatMap(
    (path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
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
