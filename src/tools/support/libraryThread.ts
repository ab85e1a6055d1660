import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Clock, within } from '../../host/clock.js';
import { runInThread } from '../../host/thread.js';

const MOST_MEMORY_MB = 512;

export interface LibraryCall {
  /** One that build/libraries.js puts beside the bundle. */
  readonly library: 'node-html-markdown' | 'pdf-lib';
  /** The body of an async function of `library` and `input`, in CommonJS of its own; what it returns is copied. */
  readonly body: string;
  readonly input: unknown;
  readonly maxMs: number;
}

/**
 * Has a library work on what a stranger made, in a thread, so that neither its slowness, its hunger nor its printing is the
 * program's; nothing where it is not done in time. @throws ThreadError where it fails; the abort reason.
 */
export function callLibrary(
  { library, body, input, maxMs }: LibraryCall,
  clock: Clock,
  signal: AbortSignal,
): Promise<unknown> {
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    const { loader, path, input } = workerData;
    const work = async (library, input) => {${body}};
    work((loader === undefined ? require : require(loader).load)(path), input).then((made) => parentPort.postMessage(made));
  `;
  return within(clock, maxMs, (late) =>
    runInThread(script, {
      input: { ...placeOf(library), input },
      signal: AbortSignal.any([signal, late]),
      maxMemoryMb: MOST_MEMORY_MB,
    }),
  );
}

/** Beside the bundle, with what loads it, or where the package has it when the program runs from its source. */
function placeOf(library: string): { readonly loader?: string; readonly path: string } {
  const path = fileURLToPath(new URL(`${library}.cjs`, import.meta.url));
  if (!existsSync(path)) return { path: createRequire(import.meta.url).resolve(library) };
  return { loader: fileURLToPath(new URL('../bin/cached.js', import.meta.url)), path };
}
