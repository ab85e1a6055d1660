import { isAlive, procStart } from '../host/processes.js';
import { loadScript } from '../modelServer/script.js';
import { startModelServer } from '../modelServer/server.js';
import type { World } from './services.js';

export interface ServeOptions {
  readonly script?: string | undefined;
  readonly port?: number | undefined;
  /** End when the process that started this one has ended. */
  readonly exitWithParent?: number | undefined;
  readonly listening: (facts: { readonly url: string; readonly pid: number }) => void;
  readonly signal: AbortSignal;
}

/** Serves the Messages API from a script on loopback, until `signal` is aborted. */
export async function serveModels(
  { clock, ids }: World,
  { script, port, exitWithParent, listening, signal }: ServeOptions,
): Promise<void> {
  const loaded = script === undefined ? undefined : await loadScript(script);
  const server = await startModelServer({
    clock,
    ids,
    ...(loaded && { script: loaded }),
    ...(port !== undefined && { port }),
  });
  listening({ url: server.url, pid: process.pid });
  try {
    const parent =
      exitWithParent === undefined
        ? undefined
        : { pid: exitWithParent, procStart: (await procStart(exitWithParent)) ?? '' };
    while (!signal.aborted && (!parent || (await isAlive(parent)))) await clock.sleep(500, signal).catch(() => {});
  } finally {
    await server.close();
  }
}
