/** Of many things the first and the last, in their order. */
export interface FirstAndLast<T> {
  readonly first: readonly T[];
  /** How many came between the two. */
  readonly leftOut: number;
  readonly last: readonly T[];
}

export interface Keeper<T> {
  push(item: T): void;
  kept(): FirstAndLast<T>;
}

/** Keeps `first` and `last` things of however many come. */
export function keepFirstAndLast<T>(first: number, last: number): Keeper<T> {
  const beginning: T[] = [];
  let end: T[] = [];
  let leftOut = 0;
  const trim = (room: number) => {
    if (end.length <= room) return;
    leftOut += end.length - last;
    end = end.slice(-last);
  };
  return {
    push(item) {
      if (beginning.length < first) beginning.push(item);
      else {
        end.push(item);
        // Not at each one: it moves all of them.
        trim(2 * last);
      }
    },
    kept() {
      trim(last);
      return { first: beginning, leftOut, last: end };
    },
  };
}

/** The same of a list. */
export function firstAndLastOf<T>(items: readonly T[], first: number, last: number): FirstAndLast<T> {
  const keeper = keepFirstAndLast<T>(first, last);
  for (const item of items) keeper.push(item);
  return keeper.kept();
}

export function allOf<T>({ first, last }: FirstAndLast<T>): readonly T[] {
  return [...first, ...last];
}
