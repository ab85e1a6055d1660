import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';

const META = fileURLToPath(new URL('../../dist/meta.json', import.meta.url));
const MAX_BYTES = 150_000;
/** What costs more to load than a short command may take. */
const HEAVY = /node_modules\/(@anthropic-ai\/sdk|blessed|gray-matter|js-yaml|yaml|execa|zod\/v4\/classic|zod\/index)/;

const Metafile = z.object({
  outputs: z.record(
    z.string(),
    z.object({
      bytes: z.number(),
      entryPoint: z.optional(z.string()),
      imports: z.array(z.object({ path: z.string(), kind: z.string(), external: z.optional(z.boolean()) })),
      inputs: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** The outputs that are loaded, at once, with the output of one source file. */
function closureOf(entryPoint: string): string[] {
  const { outputs } = Metafile.parse(JSON.parse(readFileSync(META, 'utf8')));
  const [start] = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint) ?? [];
  expect(start, `no chunk of its own for ${entryPoint}: is it imported lazily?`).toBeDefined();
  const loaded = new Set(start === undefined ? [] : [start]);
  for (const path of loaded) {
    for (const { path: next, kind, external } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) loaded.add(next);
  }
  return [...loaded];
}

test.each(['send', 'status', 'teammate'])(
  '%s starts with less than 150 KB and none of the heavy libraries',
  (command) => {
    const { outputs } = Metafile.parse(JSON.parse(readFileSync(META, 'utf8')));
    const loaded = [...new Set([...closureOf('src/cli/main.ts'), ...closureOf(`src/cli/commands/${command}.ts`)])];
    const inputs = loaded.flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
    expect(inputs.filter((input) => HEAVY.test(input))).toEqual([]);
    expect(loaded.reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0)).toBeLessThan(MAX_BYTES);
  },
);
