import type { ContentBlockParam, MessageParam } from '../model/types.js';
import { messageOf } from '../util/errors.js';
import type { AgentEvent, TurnEnd } from './events.js';
import { type LoopDeps, runTurn } from './loop.js';

export interface AgentRun extends Omit<LoopDeps, 'turnsLeft'> {
  /** What was said before; grows as the agent runs. */
  readonly history: MessageParam[];
  /** Goes before the first prompt: what an agent is told once. */
  readonly opening?: readonly ContentBlockParam[];
  /** The first prompt. Without one `next` is asked for it. */
  readonly prompt?: readonly ContentBlockParam[];
  readonly maxTurns?: number;
  /** The signal of one turn: what aborts it leaves the agent alive when `next` gives it another prompt. */
  readonly turnSignal: () => AbortSignal;
  /**
   * What comes after a turn: another prompt (perhaps empty, when arrivals are what it is about), or nothing: the agent
   * is done. A sub-agent has no next turn; a member waits here for mail.
   */
  readonly next?: (end: TurnEnd | undefined) => Promise<readonly ContentBlockParam[] | undefined>;
  /** Undone in reverse order, on every path. */
  readonly cleanups: readonly (() => Promise<void> | void)[];
}

/** Every agent runs through here: lead, teammate, sub-agent. It leaves the same nothing behind however it ends. */
export async function* runAgent(run: AgentRun): AsyncGenerator<AgentEvent, TurnEnd> {
  let turns = 0;
  let end: TurnEnd = { reason: 'done', text: '' };
  const deps: LoopDeps = { ...run, turnsLeft: () => (run.maxTurns ?? Number.POSITIVE_INFINITY) - turns };
  try {
    let prompt = run.prompt ?? (await run.next?.(undefined));
    if (prompt && run.opening) prompt = [...run.opening, ...prompt];
    while (prompt) {
      const turn = runTurn(run.history, prompt, deps, run.turnSignal());
      end = yield* counted(turn, () => turns++);
      yield { type: 'turn_ended', end };
      prompt = await run.next?.(end);
    }
    return end;
  } finally {
    await cleanUp(run.cleanups);
  }
}

/** Runs an agent to its end. `observe` sees each event before the agent goes on. */
export async function runToEnd(run: AgentRun, observe: (event: AgentEvent) => Promise<void>): Promise<TurnEnd> {
  const agent = runAgent(run);
  try {
    for (;;) {
      const { done, value } = await agent.next();
      if (done) return value;
      await observe(value);
    }
  } finally {
    // Where an observer failed, the agent cleans up all the same.
    await agent.return({ reason: 'aborted', text: '' });
  }
}

/** Hands on what a turn tells; `onReply` is called for each response of the model. A turn that is left is closed. */
async function* counted(
  turn: AsyncGenerator<AgentEvent, TurnEnd>,
  onReply: () => void,
): AsyncGenerator<AgentEvent, TurnEnd> {
  let end: TurnEnd | undefined;
  try {
    for (;;) {
      const { done, value } = await turn.next();
      if (done) {
        end = value;
        return end;
      }
      if (value.type === 'assistant') onReply();
      yield value;
    }
  } finally {
    if (!end) await turn.return({ reason: 'aborted', text: '' });
  }
}

async function cleanUp(cleanups: AgentRun['cleanups']): Promise<void> {
  const failures: unknown[] = [];
  for (const cleanup of cleanups.toReversed()) {
    try {
      await cleanup();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `Cleaning up after an agent failed: ${failures.map(messageOf).join('; ')}`);
}
