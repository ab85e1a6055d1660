const PLAIN = /^[\x20-\x7e]*$/;

/**
 * How to measure these texts in columns of a terminal: wide characters and emoji count two, escapes none.
 * What knows that takes 15 ms to load, so plain text does without.
 */
export async function measureFor(texts: readonly string[]): Promise<(text: string) => number> {
  if (texts.every((text) => PLAIN.test(text))) return ({ length }) => length;
  const { default: stringWidth } = await import('string-width');
  return (text) => stringWidth(text);
}
