import stringWidth from 'string-width';

/** Columns that a text takes on a terminal: wide characters and emoji count two, escapes none. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}
