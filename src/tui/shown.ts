import { visible } from '../util/visible.js';

/** A line for a terminal in which only our own colours are obeyed. Made with `shown` and a `Theme`, never from raw words. */
export class Shown {
  readonly #line: string;

  constructor(words: string, paint: (words: string) => string = (plain) => plain) {
    this.#line = paint(visible(words));
  }

  static joined(parts: readonly Shown[]): Shown {
    return new Shown('', () => parts.join(''));
  }

  toString(): string {
    return this.#line;
  }
}

/** A line of which the values may be anybody's words: what is no `Shown` in it is made harmless. */
export function shown(parts: TemplateStringsArray, ...values: readonly (string | Shown)[]): Shown {
  return Shown.joined(
    parts.flatMap((part, index) => {
      const value = values[index] ?? '';
      return [new Shown(part), typeof value === 'string' ? new Shown(value) : value];
    }),
  );
}
