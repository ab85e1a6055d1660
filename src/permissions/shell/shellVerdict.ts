import type { PartFacts, ShellFacts } from '../facts.js';
import { isWithin } from '../pathRule.js';
import { formatRule, type Rule } from '../rule.js';
import { layersOf } from './runsOthers.js';
import { allowsPart, allowsText } from './shellRule.js';

export interface ShellPowers {
  /** The allow rules for the tool. */
  readonly rules: readonly Rule[];
  readonly mode: string;
  isReadable(path: string): boolean;
  /** Whether a `cd` may lead there although nothing in it may be read. */
  isEnterable(path: string): boolean;
  isWritable(path: string): boolean;
}

/** What of a script still needs a permission. */
export interface Open {
  readonly parts: readonly PartFacts[];
  /** Files (absolute) that redirects would write. */
  readonly writes: readonly string[];
  readonly reads: readonly string[];
}

/** What allows all of a script, or what is left open. */
export function shellVerdict({ script, parts }: ShellFacts, powers: ShellPowers): { readonly by: string } | Open {
  const whole = powers.rules.find((rule) => allowsText(rule, script.text));
  if (whole) return { by: `rule ${formatRule(whole)}` };
  const covers = parts.map((part, index) => {
    const isSettled = part.kind !== 'other' && !part.isUnsafe && !relinked(part, index, parts, script.text);
    const isOpen = (path: string) => powers.isReadable(path) || (part.isMove && powers.isEnterable(path));
    if (isSettled && part.reads.every(isOpen) && part.writes.every(powers.isWritable)) return `mode ${powers.mode}`;
    const rule = part.isUnsafe ? undefined : powers.rules.find((candidate) => allowsPart(candidate, part.part));
    return rule && `rule ${formatRule(rule)}`;
  });
  const open: Open = {
    parts: parts.filter((_, index) => covers[index] === undefined),
    reads: parts.flatMap(({ redirects }) => redirects.reads).filter((path) => !powers.isReadable(path)),
    writes: parts
      .filter((part, index) => part.redirects.writes.length > 0 && relinked(part, index, parts, script.text))
      .flatMap(({ redirects }) => redirects.writes)
      .concat(parts.flatMap(({ redirects }) => redirects.writes).filter((path) => !powers.isWritable(path))),
  };
  if (!script.isUnderstood || open.parts.length + open.reads.length + open.writes.length > 0) return open;
  return { by: covers.find((by) => by?.startsWith('rule ')) ?? `mode ${powers.mode}` };
}

const MAKES_LINKS = /^(ln|cp|rsync|tar|unzip|git)$/;
const REPEATS = /\b(for|while|until|select)\b|(?<![&>])&(?![&>])|\|/;

/**
 * Whether a file that the part names may be another one by the time it runs: a command of the same script moves what
 * may hold links there, or makes them.
 */
function relinked(part: PartFacts, index: number, parts: readonly PartFacts[], text: string): boolean {
  const writes = [...part.writes, ...part.redirects.writes];
  const named = [...writes, ...part.reads, ...part.redirects.reads];
  const before = REPEATS.test(text) ? parts.filter((other) => other !== part) : parts.slice(0, index);
  return before.some((other) => {
    const program = layersOf(other.part.words).at(-1)?.[0]?.text ?? '';
    if (other.kind === 'files')
      return program === 'mv' && named.some((path) => other.writes.some((moved) => isWithin(path, moved)));
    return other.kind === 'other' && MAKES_LINKS.test(program) && writes.length > 0;
  });
}
