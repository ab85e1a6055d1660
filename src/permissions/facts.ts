import type { Access } from './access.js';
import { isFreeCommand, pathsNamedBy, readsWholeFolders } from './freeCommand.js';
import { parseSimpleCommand } from './simpleCommand.js';

/** A call as the rules see it. Paths are absolute. */
export interface Facts {
  readonly toolName: string;
  /** Nothing about the call needs a permission but what it reads. */
  readonly isFree: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** What a shell command seems to name, to be refused by rules but never allowed by them. */
  readonly mayRead: readonly string[];
  readonly mayWrite: readonly string[];
  readonly command?: string;
  readonly specifier?: string;
}

/** What every file tool would be judged by for reading one file. */
export function readingOf(path: string): Facts {
  return { ...NOTHING, toolName: 'Read', reads: [path] };
}

const NOTHING = { isFree: false, reads: [], writes: [], mayRead: [], mayWrite: [] };

/** @param hasGuardedFiles whether rules keep some files from being read, wherever they lie. */
export function factsOf(
  toolName: string,
  access: Access,
  { cwd, home }: { readonly cwd: string; readonly home: string },
  hasGuardedFiles: boolean,
): Facts {
  const nothing = { ...NOTHING, toolName };
  switch (access.kind) {
    case 'none':
      return { ...nothing, isFree: true };
    case 'read':
      return { ...nothing, reads: access.paths };
    case 'write':
      return { ...nothing, writes: access.paths };
    case 'other':
      return access.specifier === undefined ? nothing : { ...nothing, specifier: access.specifier };
    case 'shell': {
      const { command, realPaths = [] } = access;
      const simple = parseSimpleCommand(command);
      if (simple && isFreeCommand(simple) && !(hasGuardedFiles && readsWholeFolders(simple))) {
        return { ...nothing, command, isFree: true, reads: [...pathsNamedBy(simple, cwd, home), ...realPaths] };
      }
      const named = [...pathLikeWords(command, cwd, home), ...realPaths];
      return { ...nothing, command, mayRead: named, mayWrite: WRITES.test(command) ? named : [] };
    }
  }
}

const WRITES =
  />|\b(rm|rmdir|mv|cp|ln|tee|touch|mkdir|chmod|chown|truncate|dd|install|rsync|patch|unlink|shred)\b|\bsed\b.*-i|\bperl\b.*-\w*i/s;

/** Words with a slash or a dot in them, wherever they stand: `npm test` is not about the folder `test`. */
function pathLikeWords(command: string, cwd: string, home: string): string[] {
  const words = command.replace(/['"\\]/g, '').split(/[\s;&|<>(){}`=,]+/);
  const args = words
    .filter((word) => /[/.~]/.test(word))
    .map((text) => ({ text, isPattern: false, isHome: /^~(\/|$)/.test(text) }));
  return pathsNamedBy({ words: [{ text: '', isPattern: false, isHome: false }, ...args] }, cwd, home);
}
