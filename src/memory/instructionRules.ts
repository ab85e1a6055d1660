import { realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import ignore from 'ignore';
import { parseFrontMatter } from '../definitions/frontmatter.js';
import { messageOf } from '../util/errors.js';
import type { InstructionFile } from './instructionReader.js';

/** A file of `.claude/rules`: it holds always, or once a tool touches a file that its `paths` match. */
export interface Rule {
  readonly file: InstructionFile;
  /** What its imports brought along. */
  readonly imports: readonly InstructionFile[];
  /** Patterns, relative to `base`; absent: it holds always. */
  readonly paths?: readonly string[] | undefined;
  readonly base: string;
}

/** Parts a rule's front matter from its text. One that is broken is no reason to lose the text: it holds always. */
export async function parseRuleFile(
  file: InstructionFile,
  imports: readonly InstructionFile[],
  base: string,
): Promise<{ rule: Rule; problem?: string }> {
  if (!/^---[ \t]*\n/.test(file.text)) return { rule: { file, imports, base } };
  try {
    const { data, body } = await parseFrontMatter(file.text, file.path);
    const paths = patternsOf(data['paths']);
    return { rule: { file: { ...file, text: body }, imports, base, ...(paths.length > 0 && { paths }) } };
  } catch (error) {
    return { rule: { file, imports, base }, problem: `${messageOf(error)} The rule is told always.` };
  }
}

/** Whether a rule speaks of this file, which is absolute. */
export async function speaksOf({ paths = [], base }: Rule, path: string): Promise<boolean> {
  const places = new Set([relative(base, path), relative(await real(base), await real(path))]);
  const patterns = paths.flatMap(withoutBraces).map((pattern) => `/${pattern.replace(/^(\.?\/)+/, '')}`);
  const matcher = ignore().add(patterns);
  return [...places].some(
    (place) =>
      place !== '' && !place.startsWith('../') && place !== '..' && !isAbsolute(place) && matcher.ignores(place),
  );
}

const real = (path: string) => realpath(path).catch(() => path);

function patternsOf(value: unknown): string[] {
  const entries = Array.isArray(value) ? value : typeof value === 'string' ? splitOutsideBraces(value) : [];
  return entries.flatMap((entry) => (typeof entry === 'string' && entry.trim() !== '' ? [entry.trim()] : []));
}

const splitOutsideBraces = (text: string) => text.split(/,(?![^{}]*\})/);

/** More choices than this in one pattern nobody writes, and they multiply. */
const MOST_CHOICES = 500;

/** `*.{ts,tsx}` is two patterns: the syntax of a .gitignore, in which they are matched, has no braces. */
function withoutBraces(pattern: string): string[] {
  let patterns = [pattern];
  while (patterns.length <= MOST_CHOICES) {
    const wider = patterns.flatMap(withoutFirstBrace);
    if (wider.length === patterns.length) return patterns;
    patterns = wider;
  }
  return [pattern];
}

function withoutFirstBrace(pattern: string): string[] {
  const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(pattern) ?? [];
  if (whole === undefined || inner === undefined) return [pattern];
  return inner.split(',').map((choice) => pattern.replace(whole, () => choice));
}
