import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import { transform } from 'sucrase';
import { systemIds } from '../../host/ids.js';
import { messageOf, UserError } from '../../util/errors.js';
import { fieldOf, nameOfRule, type Written } from './written.js';

/** Runs a module in TypeScript or JavaScript that exports `agents`. @throws UserError with file and line when it cannot be run. */
export async function moduleScript(text: string, file: string): Promise<Written> {
  const module: unknown = await imported(text, file).catch((error: unknown) => {
    const line = lineIn(error, file);
    const place = line === undefined ? file : `${file}:${line}`;
    throw new UserError(`${place}: ${messageOf(error)}`, 2, { cause: error });
  });
  const agents = fieldOf(module, 'agents');
  if (agents === undefined) throw new UserError(`${file}:1: a script module exports \`agents\``);
  const raw = { agents };
  return { file, raw, lineOf: (path) => lineOfRule(text, raw, path) };
}

/** Code that V8 keeps cannot import() (bin/cached.js); this is compiled anew. */
const importModule = new Script('(url) => import(url)', {
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}).runInThisContext() as (url: string) => Promise<unknown>;

async function imported(text: string, file: string): Promise<unknown> {
  const path = resolve(file);
  if (!/\.[cm]?ts$/.test(path)) return importModule(pathToFileURL(path).href);
  const { code } = transform(text, { transforms: ['typescript'], disableESTransforms: true });
  // Beside it, so that what it imports is found; every line stays where it was.
  const draft = join(dirname(path), `.${basename(path)}.${systemIds.hex(8)}.mjs`);
  await writeFile(draft, code, { mode: 0o600, flag: 'wx' });
  try {
    return await importModule(pathToFileURL(draft).href);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The line of a script module that an error came from, or that does not parse. */
function lineIn(error: unknown, file: string): number | undefined {
  const { stack = '', message = '' } = error instanceof Error ? error : {};
  const name = basename(file).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const [, line] =
    new RegExp(`/\\.?${name}(?:\\.[0-9a-f]{8}\\.mjs)?:(\\d+)`).exec(stack) ?? /\((\d+):\d+\)$/.exec(message) ?? [];
  return line === undefined ? undefined : Number(line);
}

/** Values do not know where they were written: the line that names the rule, else the agent. */
function lineOfRule(text: string, raw: unknown, path: readonly PropertyKey[]): number {
  const lines = text.split('\n');
  const find = (words: string) => lines.findIndex((line) => line.includes(words)) + 1;
  const name = nameOfRule(raw, path);
  const agent = String(path[1] ?? 'agents');
  const candidates = [
    ...(name === undefined ? [] : [`'${name}'`, `"${name}"`, `\`${name}\``]),
    `'${agent}'`,
    `${agent}:`,
  ];
  return candidates.map(find).find((line) => line > 0) ?? 1;
}
