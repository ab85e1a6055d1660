import { styleText } from 'node:util';

/** A diff in git's colours. Lines of a file are told from headers by the counts of their hunk, whatever they begin with. */
export function paintDiff(text: string): string {
  let left = 0;
  const painted = (line: string): string => {
    if (left > 0) {
      if (line.startsWith('\\')) return line;
      const style = ({ '+': 'green', '-': 'red' } as const)[line.charAt(0)];
      // A line that stays counts on either side.
      left -= style ? 1 : 2;
      return style ? paint(style, line) : line;
    }
    const [isHunk, before = '1', after = '1'] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
    if (isHunk === undefined) return HEADER.test(line) ? paint('bold', line) : line;
    left = Number(before) + Number(after);
    return paint('cyan', line);
  };
  return text.split('\n').map(painted).join('\n');
}

const HEADER = /^(diff|index|---|\+\+\+|new|deleted|old|similarity|rename|copy|#) /;

const paint = (style: Parameters<typeof styleText>[0], line: string) =>
  styleText(style, line, { validateStream: false });
