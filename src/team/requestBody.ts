import { head, oneLine } from '../util/text.js';
import { hiddenCommand, type TeamRequest } from './requests.js';

/** More than this a card does not push off the screen. */
const MOST_LINES = 40;
const MOST_CHARACTERS = 300;

/**
 * What would be allowed and one line of `max` characters about it does not show: a command whole, a change as a
 * difference, else each field of the input.
 */
export function requestBody(request: TeamRequest, max: number): string[] {
  const { input, preview } = request;
  if (typeof input !== 'object' || input === null) return [];
  if (isShell(request)) return linesOf(hiddenCommand(request, max));
  if (preview !== undefined) return linesOf(preview);
  return hiddenFields(request, input, max);
}

/** As much of it as fits under other things; `whole` is where the rest is seen. A command stays whole. */
export function shortBody(request: TeamRequest, max: number, whole: string): string[] {
  const lines = requestBody(request, max);
  if (isShell(request)) return lines;
  const shown = lines.slice(0, MOST_LINES);
  const isCut = shown.some((line) => line.length > MOST_CHARACTERS);
  const left = lines.length - shown.length;
  const words = [...(left > 0 ? [`${left} more lines`] : []), ...(isCut ? ['more of long lines'] : [])];
  return [
    ...shown.map((line) => (line.length > MOST_CHARACTERS ? `${head(line, MOST_CHARACTERS)}…` : line)),
    ...(words.length > 0 ? [`… ${words.join(', ')}: ${whole}`] : []),
  ];
}

function hiddenFields({ description = '' }: TeamRequest, input: object, max: number): string[] {
  const told = ` ${oneLine(description, max)} `;
  const isTold = (value: unknown) => typeof value === 'string' && told.includes(` ${value} `);
  const fields = Object.entries(input).filter(([, value]) => value !== undefined && !isTold(value));
  return fields.flatMap(([name, value]) => {
    const lines = linesOf(wordsOf(value));
    return lines.length > 1 ? [`${name}:`, ...lines.map((line) => `  ${line}`)] : [`${name}: ${lines[0] ?? ''}`];
  });
}

const isShell = ({ tool = 'Bash' }: TeamRequest) => tool === 'Bash';

const wordsOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? '');

const linesOf = (text: string | undefined): string[] => (text === undefined ? [] : text.split(/\r?\n/));
