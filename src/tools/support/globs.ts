/** Between patterns: commas and blanks that are not escaped, nor within braces or brackets. */
const BETWEEN = /(?<!\\)[\s,]+(?![^{]*\}|[^[]*\])/;

/** The patterns of a list such as `*.ts, *.tsx`; one with blanks may itself be meant, so it is among them. */
export function globsIn(list: string): readonly string[] {
  const globs = list.split(BETWEEN).filter((glob) => glob !== '');
  const isName = /\s/.test(list.trim()) && !/[,!]/.test(list);
  return isName ? [list, ...globs] : globs;
}

/** What may be wrong with one pattern that matched nothing: a sentence behind a blank, or nothing. */
export function globAdvice(pattern: string): string {
  if (globsIn(pattern).length > 1) return ' If these are several patterns, put them in braces: {*.ts,*.tsx}.';
  if (/(?<!\\)\[/.test(pattern))
    return ` Brackets stand for one character of a set; for brackets in a name write ${pattern.replace(/(?<!\\)[[\]]/g, '\\$&')}.`;
  return '';
}
