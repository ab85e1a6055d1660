import { distance } from 'fastest-levenshtein';

const MOST_LINES_COMPARED = 20_000;
const MOST_SHOWN = 3;

/** Where in `text` something almost like `wanted` stands, for a model to see what it got wrong; empty when nowhere. Line ends are LF. */
export function nearMisses(text: string, wanted: string): string {
  const bare = wanted.replace(/^ *\d+\t/gm, '');
  if (bare !== wanted && bare.trim() !== '' && text.includes(bare))
    return ' It does without the line numbers that Read puts in front: leave those out.';
  const lines = text.split('\n');
  const sought = wanted.replace(/^\n+|\n+$/g, '').split('\n');
  const spaced = startsWhere(lines, sought, (a, b) => squeezed(a) === squeezed(b));
  if (spaced.length > 0) return `${report(lines, spaced, sought.length)}\nOnly white space differs there.`;
  const similar = similarLines(lines, sought[0] ?? '');
  return similar.length === 0 ? ' Nothing like it does either.' : report(lines, similar, Math.min(sought.length, 5));
}

const squeezed = (line: string) => line.replace(/\s+/g, '');

function startsWhere(
  lines: readonly string[],
  sought: readonly string[],
  isLike: (a: string, b: string) => boolean,
): number[] {
  const isStart = (start: number) => sought.every((line, index) => isLike(lines[start + index] ?? '\0', line));
  return [...lines.keys()].filter(isStart).slice(0, MOST_SHOWN);
}

function similarLines(lines: readonly string[], sought: string): number[] {
  const wanted = sought.trim();
  if (wanted.length < 3) return [];
  return lines
    .slice(0, MOST_LINES_COMPARED)
    .map((line, index) => ({ index, line: line.trim() }))
    .filter(({ line }) => Math.abs(line.length - wanted.length) <= wanted.length / 2)
    .map(({ index, line }) => ({ index, off: distance(line.slice(0, 400), wanted.slice(0, 400)) }))
    .filter(({ off }) => off <= wanted.length * 0.4)
    .sort((a, b) => a.off - b.off)
    .slice(0, MOST_SHOWN)
    .map(({ index }) => index);
}

function report(lines: readonly string[], starts: readonly number[], length: number): string {
  const places = starts.map((start) => {
    const shown = lines
      .slice(start, start + length)
      .map((line, index) => `${String(start + index + 1).padStart(6)}\t${line}`);
    return shown.join('\n');
  });
  return ` Nearest:\n${places.join('\n…\n')}`;
}
