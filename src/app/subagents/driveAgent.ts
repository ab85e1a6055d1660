import type { Task } from '../../agent/background/background.js';
import { progressAfter } from '../../agent/background/progress.js';
import type { TaskOutcome } from '../../agent/background/taskRecord.js';
import type { AgentEvent, TurnEnd } from '../../agent/events.js';
import { defused, finalText } from '../../agent/result.js';
import { type AgentRun, runToEnd } from '../../agent/runAgent.js';
import type { Clock } from '../../host/clock.js';
import type { Usage } from '../../model/types.js';
import { addUsage, NO_USAGE } from '../../model/usage.js';
import { messageOf } from '../../util/errors.js';

export interface DriveOptions {
  readonly clock: Clock;
  /** Milliseconds without any event after which it is ended. */
  readonly idleMs: number;
  /** Sees everything that happens to it, before it goes on. */
  readonly observe: (event: AgentEvent) => Promise<void>;
  /** Goes on beside it until the signal is aborted: the agent is over. */
  readonly beside?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** How long an agent that was asked to end may take for it. */
const GRACE_MS = 10_000;
/** How long what one that is left behind has is waited for; with the above, less than its member waits at its own end. */
const CLEANUP_MS = 4_000;

/** Runs an agent to its end as a task. Never throws: how it ended is what it returns. */
export async function driveAgent(
  run: AgentRun,
  task: Task,
  { clock, idleMs, observe, beside }: DriveOptions,
): Promise<TaskOutcome> {
  let usage: Usage = NO_USAGE;
  const begun = run.history.length;
  // A compaction may have shortened it.
  const lastWords = () => finalText(run.history.slice(Math.min(begun, run.history.length - 1)));
  let lastEvent = clock.monotonic();
  const over = new AbortController();
  const saw = async (event: AgentEvent) => {
    lastEvent = clock.monotonic();
    task.advance(progressAfter(task.record().progress, event));
    const { lastActivity } = task.record().progress;
    if (event.type === 'tool_started' && lastActivity) task.log(`[${lastActivity}]\n`);
    if (event.type === 'assistant') {
      usage = addUsage(usage, event.usage);
      for (const block of event.message.content) if (block.type === 'text') task.log(`${block.text}\n`);
    }
    if (event.type === 'compacted') usage = addUsage(usage, event.usage);
    await observe(event);
  };
  const stopWhenSilent = async () => {
    for (let left = idleMs; left > 0; left = lastEvent + idleMs - clock.monotonic()) {
      await clock.sleep(left, over.signal);
    }
    task.stop('timed_out', `It gave no sign for ${idleMs / 1000} s.`);
  };
  stopWhenSilent().catch(() => {});
  beside?.(over.signal).catch(() => {});
  const cleanups = run.cleanups.map(once);

  try {
    const end = await Promise.race([runToEnd({ ...run, cleanups }, saw), stuck(task.signal, clock, over.signal)]);
    return harmless({ ...outcomeOf(end, task, lastWords()), usage });
  } catch (error) {
    return harmless({ status: task.stopped()?.as ?? 'failed', result: lastWords(), error: messageOf(error), usage });
  } finally {
    over.abort();
    // For one that is left behind; any other has done it.
    await cleanedUp(cleanups, clock);
  }
}

/** Each is done, also where one before it hangs: all of them together are waited for only so long. */
async function cleanedUp(cleanups: AgentRun['cleanups'], clock: Clock): Promise<void> {
  const done = new AbortController();
  const late = clock.sleep(CLEANUP_MS, done.signal).catch(() => {});
  for (const cleanup of cleanups.toReversed()) {
    const cleaned = Promise.resolve()
      .then(cleanup)
      .catch(() => {});
    await Promise.race([cleaned, late]);
  }
  done.abort();
}

/** Called again it returns what it returned. */
function once(work: () => Promise<void> | void): () => Promise<void> | void {
  let done: { readonly result: Promise<void> | void } | undefined;
  return () => {
    done ??= { result: work() };
    return done.result;
  };
}

/** What an agent wrote is no instruction for whoever reads its result. */
function harmless(outcome: TaskOutcome): TaskOutcome {
  return { ...outcome, ...(outcome.result !== undefined && { result: defused(outcome.result) }) };
}

/** Rejects when the agent hangs in something that does not obey its signal. */
async function stuck(signal: AbortSignal, clock: Clock, over: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
  await clock.sleep(GRACE_MS, over);
  throw new Error(`It was left behind: it did not end within ${GRACE_MS / 1000} s of being asked to.`);
}

function outcomeOf(end: TurnEnd, task: Task, lastWords: string): TaskOutcome {
  const stopped = task.stopped();
  if (stopped || end.reason === 'aborted')
    return { status: stopped?.as ?? 'killed', result: lastWords, error: stopped?.because };
  switch (end.reason) {
    case 'failed':
      return { status: 'failed', result: end.text, error: end.error.message };
    case 'max-turns':
      return { status: 'partial', result: end.text, error: 'It had all the turns that it may have.' };
    default:
      return end.text === ''
        ? { status: 'partial', error: 'It ended without a word.' }
        : { status: 'completed', result: end.text };
  }
}
