/** C0 and C1 controls but tab and newline, and what turns the direction of writing around, so that `exe.txt` is read as `txt.exe`. */
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** A text for a terminal: what would move its cursor, or have it do anything, stands there as a word, `\x1b`. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(OBEYED, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
  });
}
