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
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    fence = fenceAfter(line, fence);
    const rest = fence === undefined && /^ {0,3}<!--/.test(line) ? lines.slice(index).join('\n') : '';
    const [comment] = /^ {0,3}<!--[\s\S]*?-->/.exec(rest) ?? [];
    if (comment === undefined) kept.push(line);
    else {
      index += comment.split('\n').length - 1;
      const behind = (lines[index] ?? '').replace(/^(?:(?!-->)[\s\S])*-->[ \t]*/, '');
      if (behind !== '') kept.push(behind);
    }
  }
  return kept.join('\n');
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
