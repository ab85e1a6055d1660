import { setTimeout as delay } from 'node:timers/promises';

/**
 * Repeats `check` until it passes and returns what it returned. The last failure is the one reported. Between two looks
 * passes at least twice the time that one took: looking is not to slow down what is looked for.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 50_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const began = Date.now();
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(Math.max(25, 2 * Math.min(Date.now() - began, 500)));
    }
  }
}
