import { basename, dirname, resolve } from 'node:path';
import { isWithin } from '../pathRule.js';
import { layersOf } from './runsOthers.js';
import type { Part, Script, Word } from './script.js';

interface Folders {
  readonly home: string;
  /** The working directories; the first is the repository's, or within it. */
  readonly folders: readonly string[];
}

const REMOVES_HOME = /\brm(dir)?\b[^;&|\n]*\s"?\$(HOME\b|\{HOME\})"?\/*\**(?=[\s;&|)"'`]|$)/;

/** What `rm` or `rmdir` in the script would take away that no mode lets go unasked: `/`, the home, the repository, `.git`. */
export function criticalRemoval({ text, parts, hidden }: Script, context: Folders): string | undefined {
  if (REMOVES_HOME.test(text)) return context.home;
  for (const part of [...parts, ...hidden]) {
    for (const words of tailsOf(part)) {
      const [program, ...args] = words;
      if (!/^(rm|rmdir)$/.test(basename(program?.text ?? ''))) continue;
      const targets = args
        .filter(({ text }) => !text.startsWith('-'))
        .flatMap((word) => targetsOf(word, part, context));
      const critical = targets.find((path) => isCritical(path, context));
      if (critical !== undefined) return critical;
    }
  }
  return undefined;
}

/** `sudo rm`, `env X=1 rm`, `xargs rm`: wherever the word stands. */
function tailsOf({ words }: Part): readonly (readonly Word[])[] {
  const inner = layersOf(words).at(-1) ?? [];
  return inner.map((_, start) => inner.slice(start));
}

/** `folder/*` is the folder. */
function targetsOf({ text, isHome = false }: Word, { folders }: Part, { home }: Folders): string[] {
  // `$X/*` is `/*` where X is empty.
  const path = text.replace(/^\0(?=\/+\**$)/, '').replace(/\/*\**$/, '') || (/^\0?\//.test(text) ? '/' : '.');
  if (isHome) return [resolve(home, `.${path.slice(1)}`)];
  return folders.map((folder) => resolve(folder, path));
}

function isCritical(path: string, { home, folders }: Folders): boolean {
  if (dirname(path) === '/' || basename(path) === '.git') return true;
  return [home, ...folders.slice(0, 1)].some((folder) => isWithin(folder, path));
}
