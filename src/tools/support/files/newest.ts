import { stat } from 'node:fs/promises';

const AT_ONCE = 200;

/** Files by the time of their last change, newest first, then by name. What is gone comes last. */
export async function newestFirst<T>(items: readonly T[], pathOf: (item: T) => string): Promise<T[]> {
  const dated: { item: T; path: string; time: number }[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const some = items.slice(from, from + AT_ONCE).map(async (item) => {
      const path = pathOf(item);
      return { item, path, time: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 };
    });
    dated.push(...(await Promise.all(some)));
  }
  return dated.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1)).map(({ item }) => item);
}
