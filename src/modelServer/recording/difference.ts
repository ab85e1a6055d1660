import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import { parsed } from './exchanges.js';
import { withNamedIds } from './sameIds.js';

const LINES = 80;
const WIDTH = 240;

/** A unified difference of two bodies, written as YAML so that a long text has lines. */
export function differenceOf(recorded: string, asked: string): string {
  const patch = createTwoFilesPatch('recorded', 'asked', lined(recorded), lined(asked), '', '', { context: 2 });
  const lines = patch.trimEnd().split('\n').slice(1);
  const more = lines.length > LINES ? [`… and ${lines.length - LINES} more lines`] : [];
  const cut = lines.slice(0, LINES).map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH)}…` : line));
  return [...cut, ...more].join('\n');
}

function lined(body: string): string {
  const value = parsed(withNamedIds(body));
  return value === undefined ? `${body}\n` : stringify(value, { lineWidth: 0, sortMapEntries: true });
}
