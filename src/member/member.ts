import { type Arrivals, createArrivals } from '../agent/arrivals.js';
import type { AgentEvent, TurnEnd } from '../agent/events.js';
import type { AgentRun } from '../agent/runAgent.js';
import type { Clock } from '../host/clock.js';
import type { Handlers } from '../mailbox/handlers.js';
import type { Mailbox } from '../mailbox/mailbox.js';
import type { Poller } from '../mailbox/poller.js';
import type { EventLog } from '../team/eventLog.js';
import type { RunRecord, RunRecordFile } from '../team/runRecord.js';
import { isAbort } from '../util/errors.js';
import { createDispatcher, type DispatchDeps, type OnPrompt, type Told } from './dispatch.js';
import type { Pulse } from './pulse.js';
import { withSpent } from './spent.js';

const HEARTBEAT_MS = 5000;

export interface Waits {
  readonly waitingFor?: 'plan';
  readonly requestId?: string;
}

/** What a member is besides its agent: what it does at the edges of its turns differs between a lead and a teammate. */
export interface Role {
  readonly handlers: Handlers<Told>;
  /** A turn is over. Returns what the member waits for now; it is idle when that is nothing. */
  afterTurn(end: TurnEnd): Promise<Waits>;
  /** Before anything is asked of a model for it. `over` is aborted when the member's end comes first. */
  beforeFirstTurn?(over: AbortSignal): Promise<void>;
  /** What it waits for from before a restart. */
  atStart?(): Waits;
  /** Called about once a second while it is idle: is there work that did not come by mail? It comes by mail then. */
  lookForWork?(): Promise<void>;
  /** Called with each heartbeat. */
  beat?(): Promise<void>;
}

export interface MemberDeps {
  readonly name: string;
  readonly clock: Clock;
  readonly mailbox: Mailbox;
  readonly poller: Poller;
  readonly pulse: Pulse;
  readonly record: RunRecordFile;
  readonly events: EventLog;
  /** Ids of messages that the transcript holds already. */
  readonly delivered: ReadonlySet<string>;
  readonly role: (control: MemberControl) => Role;
  readonly onPrompt?: OnPrompt | undefined;
  readonly concerns?: DispatchDeps['concerns'];
  /** Called once the member is ready: what it takes to work is loaded then. */
  readonly agent: (edges: TurnEdges) => AgentRun | Promise<AgentRun>;
  /** It loads that only when there is something to work on, so that one that waits costs little. */
  readonly loadsForWork?: boolean | undefined;
  /** Sees everything that happens to the agent. */
  readonly onEvent: (event: AgentEvent) => void;
  /** Ends the member hard: a running tool is cancelled. */
  readonly signal: AbortSignal;
}

/** What a member brings to its agent. */
export type TurnEdges = Pick<AgentRun, 'arrivals' | 'delivered' | 'next' | 'turnSignal' | 'drain'>;

/** What its role, its tools and its screen may do with a running member. */
export interface MemberControl {
  readonly arrivals: Arrivals;
  /** Ends the current turn; mail and history stay. False when there is none. */
  interrupt(): boolean;
  /** Lets the running tool call finish, then ends the member. */
  leave(): void;
  isWorking(): boolean;
  readonly record: RunRecordFile;
}

export interface Member {
  readonly control: MemberControl;
  /** The member's life, from its first mail to its end. */
  run(): Promise<TurnEnd>;
}

export function createMember(deps: MemberDeps): Member {
  const { name, mailbox, poller, pulse, record, events, signal } = deps;
  const arrivals = createArrivals();
  const leaving = new AbortController();
  /** There is one while it works. */
  let turn: AbortController | undefined;

  const control: MemberControl = {
    arrivals,
    interrupt() {
      if (!turn) return false;
      turn.abort();
      return true;
    },
    leave: () => leaving.abort(),
    isWorking: () => turn !== undefined,
    record,
  };
  const role = deps.role(control);
  const over = AbortSignal.any([signal, leaving.signal]);
  const prompted = new AbortController();

  /** Resolves when there is something to work on; false when the member's end comes first. */
  async function isWanted(): Promise<boolean> {
    if (!arrivals.wakes() && !prompted.signal.aborted) await rest(role.atStart?.() ?? {});
    await arrivals.wait(AbortSignal.any([over, prompted.signal])).catch(() => {});
    return !over.aborted;
  }

  async function rest(waits: Waits, more: Pick<Partial<RunRecord>, 'midTurn'> = {}): Promise<void> {
    const state = waits.waitingFor ? 'working' : 'idle';
    await record.change({ state, ...waits, activity: undefined, ...more });
  }

  async function next(end: TurnEnd | undefined): Promise<[] | undefined> {
    turn = undefined;
    const waits = end ? await role.afterTurn(end) : (role.atStart?.() ?? {});
    // A turn that the member's end cut short is one to go on with.
    const isCut = end?.reason === 'aborted' && over.aborted;
    const turnIsOver = end && !isCut ? { midTurn: undefined } : {};
    if (waits.waitingFor || !arrivals.wakes()) await rest(waits, turnIsOver);
    try {
      await arrivals.wait(over);
      if (!end) await role.beforeFirstTurn?.(over);
    } catch (error) {
      if (over.aborted || isAbort(error)) return undefined;
      throw error;
    }
    if (over.aborted) return undefined;
    turn = new AbortController();
    await record.change({ state: 'working', waitingFor: undefined, requestId: undefined, midTurn: true });
    return [];
  }

  const edges: TurnEdges = {
    arrivals,
    drain: leaving.signal,
    next,
    turnSignal: () => {
      turn ??= new AbortController();
      return AbortSignal.any([signal, turn.signal]);
    },
    delivered: (taken) => mailbox.markRead(taken.flatMap(({ mail }) => mail)),
  };

  const report = async (problem: string, { from, msg_id }: { from: string; msg_id: string }) =>
    events.append('message_refused', { member: name, from, msg_id, problem });
  const takeMail = createDispatcher({
    mailbox,
    arrivals,
    handlers: role.handlers,
    delivered: deps.delivered,
    onPrompt: deps.onPrompt && hearing(deps.onPrompt, () => prompted.abort()),
    concerns: deps.concerns,
    report,
  });

  async function observe(event: AgentEvent): Promise<void> {
    if (event.type === 'assistant') {
      const counted = record.change({ turns: record.current().turns + 1, ...withSpent(record.current(), event) });
      // A call need not wait for it: what was spent is in the file before the model is asked again.
      if (event.message.content.some(({ type }) => type === 'tool_use')) counted.catch(() => {});
      else await counted;
    }
    if (event.type === 'compacted') await record.change(withSpent(record.current(), event));
    if (event.type === 'tool_started') record.change({ activity: `${event.call.name}` }).catch(() => {});
    if (event.type === 'results') await record.flush();
    deps.onEvent(event);
  }

  return {
    control,
    async run() {
      const lifetime = new AbortController();
      const until = AbortSignal.any([signal, lifetime.signal]);
      try {
        await takeMail();
        await record.change({ readyAt: deps.clock.now() });
        poller.add(mailbox, takeMail, until);
        pulse.every(
          HEARTBEAT_MS,
          async () => {
            // A folder that is gone is a reason to look for the lead, not to stop looking.
            await record.beat().finally(() => role.beat?.());
          },
          until,
        );
        pulse.every(
          1000,
          async () => {
            if (!turn && !arrivals.wakes()) await role.lookForWork?.();
          },
          until,
        );
        if (deps.loadsForWork && !(await isWanted())) return { reason: 'done', text: '' };
        const { runToEnd } = await import('../agent/runAgent.js');
        return await runToEnd(await deps.agent(edges), observe);
      } finally {
        lifetime.abort();
      }
    },
  };
}

/** What is added to a prompt may be for the agent to say, so that it is wanted before the prompt has arrived. */
function hearing(onPrompt: OnPrompt, heard: () => void): OnPrompt {
  return (message) => {
    heard();
    return onPrompt(message);
  };
}
