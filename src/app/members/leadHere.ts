import type { Backend } from '../../panes/backend.js';
import type { StartMember } from '../../panes/inProcess.js';
import { takeLaunch } from '../../team/start/launch.js';
import type { Engine, World } from '../services.js';
import type { Session } from '../session/memberSession.js';
import { type LeadOptions, openLead, runLead } from './lead.js';
import { runTeammate, type TeammateScreen } from './teammate.js';

/** Runs teammates as loops of this process. They have no screen; `say` shows a line for a person. */
export function teammatesHere(world: World, engine: Engine, say: (line: string) => void): StartMember {
  const screen: TeammateScreen = { open: () => {}, event: () => {}, waits: () => {}, say };
  return async (launchFile, signal) => {
    const code = await runTeammate({ world, engine, launch: await takeLaunch(launchFile), screen, signal });
    return { code, lastLines: '' };
  };
}

export interface LeadHere {
  readonly start: (launchFile: string, signal: AbortSignal, backend: Backend) => ReturnType<StartMember>;
  /** The lead's session, as soon as it is open. */
  readonly opened: Promise<Session>;
  /** Rejects when it crashed. */
  readonly ended: Promise<void>;
}

/** A lead that runs as a loop of this process. */
export function leadHere(
  options: Pick<LeadOptions, 'world' | 'engine' | 'view' | 'unattended' | 'answerTool'>,
): LeadHere {
  const opened = deferred<Session>();
  const ended = deferred<void>();
  // Whoever awaits them comes later than a lead that fails at once.
  opened.promise.catch(() => {});
  ended.promise.catch(() => {});
  return {
    opened: opened.promise,
    ended: ended.promise,
    async start(launchFile, signal, backend) {
      try {
        const session = await openLead({ ...options, launch: await takeLaunch(launchFile), backend, signal });
        opened.resolve(session);
        await runLead(session);
        ended.resolve();
        return { code: 0, lastLines: '' };
      } catch (error) {
        opened.reject(error);
        ended.reject(error);
        throw error;
      }
    },
  };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
