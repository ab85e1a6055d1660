import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { trespassesIn } from './architecture/trespasses.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

test('src keeps its walls, its doors, no rings and small files', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(20);
  expect(trespassesIn(new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')])))).toEqual([]);
});

test('what is imported lazily is a name and no variable: in the bundle it becomes require(), which knows no ES modules', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const found = files.filter((file) =>
    /(?:await|return|=) import\((?!['"])/.test(readFileSync(join(SRC, file), 'utf8')),
  );
  expect(found).toEqual([]);
});

describe('a trespass is reported with its file and line', () => {
  const report = (file: string, text: string) => trespassesIn(new Map([[file, text]]));

  test.each([
    [
      'an import up',
      'store/a.ts',
      "import { x } from '../mailbox/b.js';",
      'store/a.ts:1 imports mailbox/b.ts: store may not import mailbox',
    ],
    [
      'an import of a type up',
      'agent/a.ts',
      "\nimport type { X } from '../tools/b.js';",
      'agent/a.ts:2 imports tools/b.ts: agent may not import tools',
    ],
    [
      'an inline type',
      'agent/a.ts',
      "import { type X } from '../tools/b.js';",
      'agent/a.ts:1 imports tools/b.ts: agent may not import tools',
    ],
    [
      'a type written where it is used',
      'agent/a.ts',
      "let x: import('../app/b.js').X;",
      'agent/a.ts:1 imports app/b.ts: agent may not import app',
    ],
    [
      'a lazy import up',
      'tools/a.ts',
      "const b = await import('../app/b.js');",
      'tools/a.ts:1 imports app/b.ts: tools may not import app',
    ],
    [
      'a re-export',
      'util/a.ts',
      "export { x } from '../host/b.js';",
      'util/a.ts:1 imports host/b.ts: util may not import host',
    ],
    [
      'a re-export of all',
      'util/a.ts',
      "export * from '../host/b.js';",
      'util/a.ts:1 imports host/b.ts: util may not import host',
    ],
    [
      'an import for its effects',
      'util/a.ts',
      "import '../host/b.js';",
      'util/a.ts:1 imports host/b.ts: util may not import host',
    ],
    [
      'a sibling of layer 5',
      'lead/a.ts',
      "import { x } from '../member/b.js';",
      'lead/a.ts:1 imports member/b.ts: lead may not import member',
    ],
    [
      'cli past app',
      'cli/commands/a.ts',
      "import { x } from '../../team/b.js';",
      'cli/commands/a.ts:1 imports team/b.ts: cli may not import team',
    ],
    [
      'app from cli',
      'app/a.ts',
      "import { x } from '../cli/output.js';",
      'app/a.ts:1 imports cli/output.ts: app may not import cli',
    ],
    [
      'values where only types may travel',
      'agent/a.ts',
      "import { x } from '../model/b.js';",
      'agent/a.ts:1 imports model/b.ts: agent may import only types of model',
    ],
    [
      'a file outside of src',
      'cli/a.ts',
      "import x from '../../package.json';",
      'cli/a.ts:1 leaves src: ../../package.json',
    ],
    ['a folder that nobody planned', 'stuff/a.ts', '', 'stuff/a.ts is in no folder of the layer table'],
    ['a file beside the folders', 'main.ts', '', 'main.ts is in no folder of the layer table'],
    ['a barrel', 'tools/index.ts', '', 'tools/index.ts is a barrel: import the file that defines the thing'],
    ['a long file', 'util/a.ts', '\n'.repeat(301), 'util/a.ts has 301 lines, more than 300'],
  ])('%s', (_, file, text, expected) => {
    expect(report(file, text)).toEqual([expected]);
  });

  test.each([
    ["import { execa } from 'execa';", 'host/run.ts, mcp/stdio.ts'],
    ["const { spawn } = await import('node:child_process');", 'host/run.ts, mcp/stdio.ts'],
    ["import { spawn } from 'child_process';", 'host/run.ts, mcp/stdio.ts'],
    ["const { Worker } = await import('node:worker_threads');", 'host/thread.ts'],
    ["import { setTimeout as delay } from 'node:timers/promises';", 'host/clock.ts'],
    ['const now = Date.now();', 'host/clock.ts'],
    ['const now = new Date();', 'host/clock.ts'],
    ['setTimeout(() => {}, 5);', 'host/clock.ts'],
    ['globalThis.setInterval(() => {}, 5);', 'host/clock.ts'],
    ['const later = setTimeout;', 'host/clock.ts'],
    ['const signal = AbortSignal.timeout(5);', 'host/clock.ts'],
    ['const t = performance.now();', 'host/clock.ts'],
    ['const r = Math.random();', 'host/ids.ts'],
    ["import { randomUUID } from 'node:crypto';", 'host/ids.ts'],
    ['const id = crypto.randomUUID();', 'host/ids.ts'],
    ["import { v7 } from 'uuid';", 'host/ids.ts'],
    ["const home = process.env['HOME'];", 'config/env.ts'],
    ['const { env } = process;', 'config/env.ts'],
    ["const x = globalThis.process['env'];", 'config/env.ts'],
    ['const here = process.cwd();', 'config/env.ts'],
    ["import { homedir } from 'node:os';", 'config/env.ts'],
    ["import { watch } from 'node:fs';", 'store/watchFile.ts'],
    ["import { watch } from 'node:fs/promises';", 'store/watchFile.ts'],
    ["import * as fs from 'node:fs';", 'store/watchFile.ts'],
    ['process.exitCode = 1;', 'cli/main.ts'],
    ["console.log('x');", 'cli/output.ts, tui/'],
    ["process.stdout.write('x');", 'cli/output.ts, tui/'],
    ['const { stderr } = process;', 'cli/output.ts, tui/'],
    ["const l = await import('proper-lockfile');", 'store/lock.ts'],
    ["import matter from 'gray-matter';", 'definitions/frontmatter.ts'],
    ["import { Worker } from 'node:worker_threads';", 'host/thread.ts'],
    ["import { Command } from 'commander';", 'cli/'],
    ["import Anthropic from '@anthropic-ai/sdk';", 'model/anthropic.ts'],
    ["import { type Anthropic } from '@anthropic-ai/sdk';", 'model/anthropic.ts'],
    ["const { APIError } = await import('@anthropic-ai/sdk/error');", 'model/anthropic.ts'],
  ])('a door: %s', (text, door) => {
    expect(report('util/a.ts', text)).toEqual([
      expect.stringMatching(/^util\/a\.ts:1 (imports|uses) .*: its door is /),
    ]);
    expect(report('util/a.ts', text)[0]?.endsWith(`its door is ${door}`)).toBe(true);
    const owner = door.split(', ')[0] ?? '';
    expect(report(owner.endsWith('/') ? `${owner}a.ts` : owner, text)).toEqual([]);
  });

  test.each([
    'process.exit(1);',
    "process['exit'](1);",
    'const { exit } = process;',
    "import { exit } from 'node:process';",
  ])('nothing may: %s', (text) => {
    for (const file of ['util/a.ts', 'cli/main.ts', 'host/signals.ts'])
      expect(report(file, text)).toEqual([expect.stringContaining('nothing may')]);
  });

  test('a ring of files, types and lazy imports included', () => {
    const files = new Map([
      ['util/a.ts', "import { b } from './b.js';"],
      ['util/b.ts', "import type { C } from './c.js';"],
      ['util/c.ts', "export const a = () => import('./a.js');"],
      ['util/d.ts', "import { a } from './a.js';"],
    ]);
    expect(trespassesIn(files)).toEqual(['util/a.ts → util/b.ts → util/c.ts → util/a.ts is a ring']);
  });
});

test.each([
  [
    'words in comments, strings and regular expressions',
    'util/a.ts',
    "// Date.now() process.exit(1) import('../app/a.js')\nexport const x = 'process.env' + `console.log`; export const y = /process.exit/;",
  ],
  ['a date of a given moment', 'util/a.ts', 'export const d = (ms: number) => new Date(ms);'],
  [
    'a property of the same name',
    'util/a.ts',
    'export const o = { setTimeout: 1 }; export const p = o.setTimeout; export interface T { setTimeout(): void }',
  ],
  [
    'what process says of itself',
    'host/a.ts',
    'export const me = [process.pid, process.platform, process.argv]; process.kill(1, 0);',
  ],
  ['hashes', 'store/a.ts', "import { createHash } from 'node:crypto';"],
  ['reading files', 'store/a.ts', "import { type FSWatcher, readFileSync } from 'node:fs';"],
  ['types of the SDK', 'model/types.ts', "import type Anthropic from '@anthropic-ai/sdk';"],
  ['the table of commands', 'cli/commands/index.ts', "export const commands = { send: () => import('./send.js') };"],
  [
    'types where only types may travel',
    'agent/a.ts',
    "import type { Clock } from '../host/clock.js'; import { z } from './b.js';",
  ],
])('%s: no trespass', (_, file, text) => {
  expect(trespassesIn(new Map([[file, text]]))).toEqual([]);
});
