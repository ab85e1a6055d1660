import { basename, join } from 'node:path';
import { pathsNamedBy } from './freeCommand.js';
import { isKnown, type Word } from './script.js';

/** Commands that acceptEdits allows in the working directories, with the options that leave them what they are. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  mkdir: /^-[pv]+$/,
  touch: /^-[acm]+$/,
  rmdir: /^-[pv]+$/,
  mv: /^-[fnvu]+$/,
  // Not recursively: whole trees may hold links, and files that are obeyed.
  cp: /^-[fnvpu]+$/,
};

/**
 * The files (absolute) that a simple file command changes, those inside of a folder that it may be pointed at included;
 * undefined for any other command.
 */
export function filesChangedBy(words: readonly Word[], cwd: string, home: string): readonly string[] | undefined {
  const [program, ...args] = words;
  if (program === undefined || !words.every(isKnown) || !Object.hasOwn(OPTIONS, program.text)) return undefined;
  const options = args.filter(({ text }) => text.startsWith('-') && text !== '--');
  if (!options.every(({ text }) => OPTIONS[program.text]?.test(text))) return undefined;
  // `a/..` is `a`'s real parent to the system, and nothing at all on paper.
  if (args.some(({ text }) => /[^/.][^/]*\/+\.\.(\/|$)/.test(text))) return undefined;
  const operands = args.filter((word) => !options.includes(word) && word.text !== '--');
  const files = operands.flatMap((word) => pathsNamedBy({ words: [program, word] }, cwd, home).slice(0, 1));
  const target = files.at(-1);
  if (target === undefined || (program.text !== 'mv' && program.text !== 'cp')) return files;
  return [...files, ...files.slice(0, -1).map((file) => join(target, basename(file)))];
}
