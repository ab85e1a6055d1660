/** Begins a step when those of whoever came before have begun, or will not be. */
export type InTurn = <T>(step: () => Promise<T>) => Promise<T>;

/** For work that goes on side by side, and has one step that is begun in the order in which the work came. */
export interface Turns {
  next<T>(work: (inTurn: InTurn) => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return {
    next(work) {
      const before = last;
      let begun = () => {};
      last = new Promise((resolve) => {
        begun = resolve;
      });
      const inTurn: InTurn = async (step) => {
        await before;
        const result = step();
        begun();
        return result;
      };
      return work(inTurn).finally(() => before.then(begun));
    },
  };
}
