import { isAbsolute, join, relative } from 'node:path';
import ignore from 'ignore';
import type { Behavior, Rule } from './rule.js';

/** What relative patterns start from. All absolute. */
export interface PathAnchors {
  readonly cwd: string;
  readonly home: string;
  readonly folders: readonly string[];
}

/** Whether `path` is `folder` or lies in it. Both absolute. */
export function isWithin(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside === '' || (inside !== '..' && !inside.startsWith('../') && !isAbsolute(inside));
}

/**
 * Whether a rule's path pattern (gitignore syntax; `//` from the root, `~/` from the home, `/` from the rule's base,
 * else from the working directory) matches an absolute path. Deny and ask rules match at any depth and in any case.
 */
export function matchesPath(rule: Rule, path: string, behavior: Behavior, anchors: PathAnchors): boolean {
  if (rule.specifier === undefined) return true;
  const isStrict = behavior === 'allow';
  return startsOf(rule.specifier, rule.base, isStrict, anchors).some(([folder, pattern]) => {
    const inside = relative(folder, path);
    if (!isWithin(path, folder)) return false;
    if (inside === '') return pattern === '/**' || pattern === '**';
    return ignore({ ignorecase: !isStrict, allowRelativePaths: false }).add(withFolder(pattern)).ignores(inside);
  });
}

function startsOf(
  specifier: string,
  base: string | undefined,
  isStrict: boolean,
  { cwd, home, folders }: PathAnchors,
): [string, string][] {
  if (specifier.startsWith('//')) return [['/', specifier.slice(1)]];
  if (specifier === '~' || specifier.startsWith('~/')) return [[home, specifier.slice(1) || '/**']];
  if (specifier.startsWith('/')) return [[base ?? cwd, specifier]];
  const pattern = specifier.replace(/^(\.\/)+/, '');
  if (pattern.startsWith('../') || pattern === '..') return [['/', join(cwd, pattern)]];
  if (isStrict) return [[cwd, pattern]];
  const anywhere = pattern.includes('/') && !pattern.startsWith('**/') ? `**/${pattern}` : pattern;
  return [cwd, ...(base === undefined ? [] : [base]), ...folders].map((folder) => [folder, anywhere]);
}

/** `src/**` is meant to hold `src` itself too: a search starts there. */
function withFolder(pattern: string): string[] {
  const folder = pattern.replace(/\/\*\*$/, '');
  if (folder === '' || folder === '**' || folder === pattern) return [pattern];
  return [folder.includes('/') ? folder : `/${folder}`];
}
