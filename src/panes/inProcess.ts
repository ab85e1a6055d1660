import { processorTime } from '../host/processes.js';
import { isSystemError, messageOf, UserError } from '../util/errors.js';
import type { Backend, Pane, PaneEnd } from './backend.js';

/** Runs a member in this process until it ends by itself or `signal` aborts; rejects when it crashes. */
export type StartMember = (
  launchFile: string,
  signal: AbortSignal,
) => Promise<{ readonly code: number; readonly lastLines: string }>;

interface Running {
  readonly team: string;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  end?: PaneEnd;
}

const paneOf = (member: string): Pane => ({ paneId: 'in-process', windowId: member, ownsPane: true });
const GONE: PaneEnd = { code: null, signal: null, lastLines: '' };

/** Members as loops of this process, each with an abort signal of its own. They are told apart by name. */
export function createInProcessBackend({ startMember }: { readonly startMember: StartMember }): Backend {
  const members = new Map<string, Running>();
  const find = ({ windowId = '' }: Pane) => members.get(windowId);

  return {
    type: 'in-process',

    async start({ team, member, launchFile }) {
      const earlier = members.get(member);
      if (earlier !== undefined && earlier.end === undefined) throw new Error(`${member} runs in this process already`);
      const abort = new AbortController();
      const running: Running = {
        team,
        abort,
        done: run(startMember, launchFile, abort.signal).then((end) => {
          running.end = end;
        }),
      };
      members.set(member, running);
      return paneOf(member);
    },

    async ended(pane) {
      const member = find(pane);
      return member === undefined ? GONE : member.end;
    },

    effort: () => processorTime(process.pid),

    async find({ team, member }) {
      const running = members.get(member);
      return running?.team === team && running.end === undefined ? paneOf(member) : undefined;
    },

    async capture(pane, lines) {
      return (find(pane)?.end?.lastLines ?? '').split('\n').slice(-lines).join('\n');
    },

    async close(pane, owner) {
      const member = find(pane);
      if (member === undefined || pane.windowId !== owner.member || member.team !== owner.team) return;
      member.abort.abort();
      await member.done;
      if (members.get(owner.member) === member) members.delete(owner.member);
    },

    async refresh() {},
  };
}

/** What a person or the machine is to blame for is told by its words alone. */
function isOurFault(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof UserError) && !isSystemError(error);
}

async function run(startMember: StartMember, launchFile: string, signal: AbortSignal): Promise<PaneEnd> {
  try {
    const { code, lastLines } = await startMember(launchFile, signal);
    return { code, signal: null, lastLines };
  } catch (error) {
    if (signal.aborted) return { code: null, signal: 'SIGTERM', lastLines: '' };
    return {
      code: 1,
      signal: null,
      lastLines: isOurFault(error) ? (error.stack ?? error.message) : messageOf(error),
    };
  }
}
