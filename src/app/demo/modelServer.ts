import { isAlive, procStart } from '../../host/processes.js';
import { useOwnModels } from '../../model/userModels.js';
import { parseFault } from '../../modelServer/faults/flag.js';
import { loadScript } from '../../modelServer/script/script.js';
import { type ModelServerOptions, startModelServer } from '../../modelServer/server.js';
import { UserError } from '../../util/errors.js';
import type { World } from '../services.js';

/** Where the answers of a model server come from. */
export interface Source {
  /** A file of scripted answers. */
  readonly script?: string | undefined;
  /** What goes wrong, as `--fault` says it. */
  readonly faults: readonly string[];
  /** A file to keep all exchanges with `upstream` in. */
  readonly record?: string | undefined;
  readonly upstream?: string | undefined;
  /** A file of kept exchanges to answer from. */
  readonly replay?: string | undefined;
}

export interface ServeOptions extends Source {
  readonly port?: number | undefined;
  /** End when this process, which started it, has ended. */
  readonly exitWithParent?: number | undefined;
  readonly listening: (facts: { readonly url: string; readonly pid: number }) => void;
  /** Told what went otherwise than whoever wrote the script or the recording can have wanted. */
  readonly problem: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Serves the Messages API on loopback from a script, a service behind it or a recording, until `signal` is aborted. */
export async function serveModels(
  { clock, ids, home }: World,
  { port, exitWithParent, listening, problem, signal, ...source }: ServeOptions,
): Promise<void> {
  await useOwnModels(home.models);
  const server = await startModelServer({
    clock,
    ids,
    ...(await answersFrom(source)),
    ...(port !== undefined && { port }),
    onRequest: (request) => request.problem !== undefined && problem(request.problem),
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

/** @throws UserError when the flags do not go together, or a file is not what it should be. */
async function answersFrom({
  script,
  faults,
  record,
  upstream,
  replay,
}: Source): Promise<Pick<ModelServerOptions, 'script' | 'faults' | 'respond'>> {
  if ((record === undefined) !== (upstream === undefined))
    throw new UserError(
      '--record FILE and --upstream URL go together: what is kept are the answers of a real service.',
    );
  if (record !== undefined || replay !== undefined) {
    const others = [script && '--script', faults.length > 0 && '--fault', record && replay && '--record'];
    const other = others.find((flag) => typeof flag === 'string');
    if (other) throw new UserError(`${record && !replay ? '--record' : '--replay'} and ${other} do not go together.`);
  }
  if (upstream !== undefined && record !== undefined) {
    if (!/^https?:\/\//.test(upstream) || !URL.canParse(upstream))
      throw new UserError(`--upstream ${upstream}: this is no address like https://api.anthropic.com`);
    const { createRecorder } = await import('../../modelServer/recording/recorder.js');
    return { respond: await createRecorder({ file: record, upstream }) };
  }
  if (replay !== undefined) {
    const { readRecording } = await import('../../modelServer/recording/exchanges.js');
    const { createReplayer } = await import('../../modelServer/recording/replayer.js');
    return { respond: createReplayer(await readRecording(replay), replay) };
  }
  return { faults: faults.map(parseFault), ...(script !== undefined && { script: await loadScript(script) }) };
}
