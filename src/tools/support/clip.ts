import { head, tail } from '../../util/text.js';

/**
 * Text of at most about `limit` UTF-16 units: two thirds of it from the beginning, the rest from the end, with a marker
 * between that says how much is missing and where the whole is.
 */
export function clip(text: string, limit: number, whole: string): string {
  if (text.length <= limit) return text;
  const first = head(text, Math.ceil((limit * 2) / 3));
  const last = tail(text, Math.floor(limit / 3));
  return `${first}${marker(text.length - first.length - last.length, 'characters', whole)}${last}`;
}

export function marker(count: number, unit: string, whole: string): string {
  return `\n\n[… ${count} ${unit} left out. ${whole} …]\n\n`;
}
