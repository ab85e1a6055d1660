/** What ended a thread before it had said anything: its memory was full, or it threw. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
}

export interface ThreadOptions {
  /** Handed over as `workerData`. */
  readonly input: unknown;
  /** Ends the thread, whatever it is doing. */
  readonly signal: AbortSignal;
  readonly maxMemoryMb: number;
}

/**
 * Runs a script of CommonJS in a thread of its own, so that nothing it does can hold up this one; what it posts first. What it
 * prints is nobody's.
 * @throws ThreadError; the abort reason.
 */
export async function runInThread(script: string, { input, signal, maxMemoryMb }: ThreadOptions): Promise<unknown> {
  const { Worker } = await import('node:worker_threads');
  signal.throwIfAborted();
  const thread = new Worker(script, {
    eval: true,
    workerData: input,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  });
  const over = new AbortController();
  try {
    return await new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.on('error', (error) => reject(new ThreadError(error.message, { cause: error })));
      thread.once('exit', (code) => reject(new ThreadError(`it ended with ${code} and said nothing`)));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal });
    });
  } finally {
    over.abort();
    await thread.terminate();
  }
}
