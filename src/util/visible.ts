/** A text for a terminal: what would move its cursor, or have it do anything, stands there as a word, `\x1b`. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
}
