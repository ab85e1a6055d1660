import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { Parser } from 'web-tree-sitter';
import { hiddenIn } from './hiddenCommands.js';
import { type Part, type Script, UNKNOWN, unread } from './script.js';
import { readTree } from './tree.js';
import type { Place } from './walk.js';

/** Takes a shell command apart, as far as it is certain what bash makes of it. */
export type ReadShell = (command: string, place: Place) => Script;

const LONGEST = 10_000;
/** `sh -c 'sh -c …'`: deeper than this nothing is looked for. */
const DEEPEST = 4;
/** Control characters, what only looks like a blank or like nothing, and look-alikes of the shell's own characters. */
const TREACHEROUS =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u037e\u01c0\u2223\u2016\ufe54\ufe59-\ufe5c\ufe64\ufe65\ufe68\ufe69\uff02-\uff0a\uff1b-\uff1f\uff3b-\uff40\uff5b-\uff5e]/u;

const ANYTHING: Part = { words: [{ text: UNKNOWN }], assignments: [], redirects: [], folders: [] };

/** What V8 of Node 20 has: `node --v8-options`. */
const V8_BUDGET = 1_800_000;
const NEVER = 2_000_000_000;

let reader: Promise<ReadShell> | undefined;

/** The reader of shell commands; its grammar is loaded once, by whoever needs it first. */
export function loadShell(): Promise<ReadShell> {
  reader ??= createReader();
  return reader;
}

async function createReader(): Promise<ReadShell> {
  const { Parser, Language } = await import('web-tree-sitter');
  const [parserCode, grammarCode] = await Promise.all([
    wasm('web-tree-sitter/web-tree-sitter.wasm'),
    wasm('tree-sitter-bash/tree-sitter-bash.wasm'),
  ]);
  const parser = await withTieringBudget(NEVER, async () => {
    await Parser.init({ wasmBinary: parserCode });
    const made = new Parser();
    made.setLanguage(await Language.load(grammarCode));
    return made;
  });
  return (command, place) => read(command, place, parser, 0);
}

/**
 * V8 would soon compile the grammar's one huge function again, thoroughly: a second of a core in every process, for which
 * nothing is read faster, and which the process's end waits for. The budget counts where code is loaded; afterwards it is
 * V8's own again, since V8 takes no kept code of JavaScript while a flag is another than when it was kept.
 */
async function withTieringBudget<Result>(budget: number, load: () => Promise<Result>): Promise<Result> {
  setFlagsFromString(`--wasm-tiering-budget=${budget}`);
  try {
    return await load();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${V8_BUDGET}`);
  }
}

/** Beside the bundle, or where the package has it when the program runs from its source. */
function wasm(name: string): Promise<Uint8Array> {
  const beside = fileURLToPath(new URL(name.replace(/^.*\//, ''), import.meta.url));
  return readFile(existsSync(beside) ? beside : createRequire(import.meta.url).resolve(name));
}

function read(command: string, place: Place, parser: Parser, depth: number): Script {
  if (command.length > LONGEST || command.trim() === '') return unread(command);
  const tree = parser.parse(command);
  if (!tree) return unread(command);
  try {
    const { parts, isUnderstood } = readTree(tree.rootNode, command, place);
    const hidden = depth < DEEPEST ? parts.map(hiddenIn) : [];
    const inner = hidden.flatMap(({ texts }) => texts).map((text) => read(text, place, parser, depth + 1));
    return {
      text: command,
      parts,
      hidden: [
        ...inner.flatMap((script) => [...script.parts, ...script.hidden]),
        ...(hidden.some(({ isOpen }) => isOpen) ? [ANYTHING] : []),
      ],
      isUnderstood: isUnderstood && !TREACHEROUS.test(command),
    };
  } finally {
    tree.delete();
  }
}
