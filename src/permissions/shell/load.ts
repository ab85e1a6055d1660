import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Parser } from 'web-tree-sitter';
import { stringsRunBy } from './runsOthers.js';
import { type Script, unread } from './script.js';
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

let reader: Promise<ReadShell> | undefined;

/** The reader of shell commands; its grammar is loaded once, by whoever needs it first. */
export function loadShell(): Promise<ReadShell> {
  reader ??= createReader();
  return reader;
}

async function createReader(): Promise<ReadShell> {
  const { Parser, Language } = await import('web-tree-sitter');
  await Parser.init({ wasmBinary: await wasm('web-tree-sitter/web-tree-sitter.wasm') });
  const parser = new Parser();
  parser.setLanguage(await Language.load(await wasm('tree-sitter-bash/tree-sitter-bash.wasm')));
  return (command, place) => read(command, place, parser, 0);
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
    const inner =
      depth < DEEPEST ? parts.flatMap(stringsRunBy).map((text) => read(text, place, parser, depth + 1)) : [];
    return {
      text: command,
      parts,
      hidden: inner.flatMap((script) => [...script.parts, ...script.hidden]),
      isUnderstood: isUnderstood && !TREACHEROUS.test(command),
    };
  } finally {
    tree.delete();
  }
}
