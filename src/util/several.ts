/**
 * The results of `work` for each item, in their order, with at most `atOnce` of them at work. After one that fails none
 * is begun any more. @throws its error, once those that had been begun are over.
 */
export async function several<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Map<number, Result>();
  const waiting = items.entries();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const [index, item] of waiting) {
      if (failures.length > 0) return;
      try {
        results.set(index, await work(item));
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
