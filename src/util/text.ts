import { closest, distance } from 'fastest-levenshtein';

/** Replaces lone surrogates, so that the text survives UTF-8 and JSON of any strictness. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** The first `max` UTF-16 units of `text`, never half a code point. */
export function head(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max;
  return text.slice(0, cut);
}

/** The last `max` UTF-16 units of `text`, never half a code point. */
export function tail(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

/** One line of at most `max` units, for listings and summaries. */
export function oneLine(text: string, max = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${head(line, max - 1)}…`;
}

/** The candidate that `word` is most likely a slip of, if any is near enough to be worth naming. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const best = closest(word, candidates);
  const tolerance = Math.max(2, Math.ceil(word.length / 3));
  return distance(word.toLowerCase(), best.toLowerCase()) <= tolerance ? best : undefined;
}

/** ` Did you mean "x"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}

/** Words as a person can paste them into a POSIX shell, zsh included (which gives `=word` a meaning of its own). */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] ?? c);
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;
