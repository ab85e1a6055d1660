/**
 * Paths that a Markdown text imports with `@path`: not from code spans and fences, `\ ` for a space (facts.md §8).
 * As written; the same one once.
 */
export function importsIn(text: string): string[] {
  const prose = outsideFences(text)
    .join('\n')
    .replace(/(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n)[\s\S])*?[^`])\1(?!`)/g, ' ');
  const found = [...prose.matchAll(/(?<=^|\s)@((?:\\ |\S)+)/g)].map(([, path = '']) => path.replaceAll('\\ ', ' '));
  return [...new Set(found)];
}

/** Without the HTML comments that begin a line; those in code fences, and one that is never closed, stay. */
export function withoutBlockComments(text: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (let at = 0; at <= text.length; ) {
    const end = endOfLine(text, at);
    const line = text.slice(at, end);
    fence = fenceAfter(line, fence);
    const begins = fence === undefined ? /^ {0,3}<!--/.exec(line)?.[0].length : undefined;
    const close = begins === undefined ? -1 : text.indexOf('-->', at + begins);
    if (close < 0) {
      kept.push(line);
      // One that is not closed here is closed nowhere below.
      if (begins !== undefined) return [...kept, ...(end < text.length ? [text.slice(end + 1)] : [])].join('\n');
      at = end + 1;
      continue;
    }
    const last = endOfLine(text, close);
    const behind = text.slice(close + '-->'.length, last).replace(/^[ \t]+/, '');
    if (behind !== '') kept.push(behind);
    at = last + 1;
  }
  return kept.join('\n');
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function outsideFences(text: string): string[] {
  let fence: string | undefined;
  return text.split('\n').map((line) => {
    const before = fence;
    fence = fenceAfter(line, before);
    return before === undefined && fence === undefined ? line : '';
  });
}

/** The fence that is open behind this line, or none (CommonMark, fenced code blocks). */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, mark, rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (mark === undefined) return open;
  if (open === undefined) return mark.startsWith('`') && rest.includes('`') ? undefined : mark;
  return mark.startsWith(open) && rest.trim() === '' ? undefined : open;
}
