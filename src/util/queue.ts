/** Runs pieces of work one after the other, in the order in which they were handed in. */
export interface Queue {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** How many pieces wait behind the one that runs. */
  readonly waiting: number;
}

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    get waiting() {
      return waiting;
    },
    run(work) {
      waiting++;
      const result = last.then(() => {
        waiting--;
        return work();
      });
      last = result.catch(() => {});
      return result;
    },
  };
}
