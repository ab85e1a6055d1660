import type { Clock, within } from '../../host/clock.js';
import type { Ids } from '../../host/ids.js';
import { messageOf, UserError } from '../../util/errors.js';
import type { Arrival } from '../arrivals.js';
import { type Decorations, decorated } from './decorations.js';
import { type NoticeFacts, taskNotice } from './notices.js';
import { NO_PROGRESS, type TaskOutcome, type TaskProgress, type TaskRecord } from './taskRecord.js';

/** The file that a task's words go into. */
export interface TaskOutput {
  readonly path: string;
  /** Queued; nothing more is taken once the file is full. */
  write(text: string): void;
  /** The last section. All of the file is on disk when it returns. */
  finish(text: string): Promise<void>;
  /** Puts a text before everything else, once it is finished. */
  putFirst(text: string): Promise<void>;
  /** The newest lines, at most 1000. */
  lastLines(): readonly string[];
}

/** Where tasks outlive their process. */
export interface TaskStore {
  save(record: TaskRecord): Promise<void>;
  load(idOrName: string): Promise<TaskRecord | undefined>;
  /** @param onFull called once when no more fits in. */
  openOutput(id: string, onFull: () => void): Promise<TaskOutput>;
  keepNotice(id: string, text: string): Promise<void>;
  dropNotice(id: string): Promise<void>;
}

export interface TaskEvent {
  readonly type: 'task_started' | 'task_progress' | 'task_notification';
  readonly task: TaskRecord;
}

export interface NewTask extends Pick<TaskRecord, 'type' | 'toolUseId' | 'description' | 'backgrounded'> {
  readonly agentId?: string | undefined;
  readonly name?: string | undefined;
  /** Where it writes by itself; the registry opens a file for any other. */
  readonly outputFile?: string | undefined;
}

export interface Stopped {
  readonly as: 'killed' | 'timed_out';
  readonly because?: string | undefined;
}

export interface Task {
  record(): TaskRecord;
  /** Aborted when it shall end. */
  readonly signal: AbortSignal;
  /** Adds to its output file. */
  log(text: string): void;
  advance(progress: TaskProgress): void;
  /** The newest lines of its output; none where it writes by itself. */
  lastLines(): readonly string[];
  /** It goes on where it is, and nobody waits for it any more. */
  moveToBackground(): Promise<void>;
  /** Resolves when it is moved to the background. */
  readonly moved: Promise<void>;
  /** Asks it to end; how it then ends is said by `end`. */
  stop(as?: Stopped['as'], because?: string): void;
  /** That it was asked to end, the first time. */
  stopped(): Stopped | undefined;
  /**
   * First the state and the output, then decorations and the one notice. Only the first call counts. Returns what the
   * decorations came to.
   */
  end(outcome: TaskOutcome, decorations?: Decorations): Promise<NoticeFacts>;
  /** Resolves as soon as the state says so, before any decoration. */
  readonly ended: Promise<TaskRecord>;
}

export interface TaskRegistry {
  /** The record is on disk when it returns. @throws UserError once it is being closed. */
  begin(task: NewTask): Promise<Task>;
  /** By id, agent's id or name; of several of a name the newest. */
  find(idOrName: string): Task | undefined;
  /** The same for one that is not held any more. */
  load(idOrName: string): Promise<TaskRecord | undefined>;
  all(): readonly Task[];
  /** To be called with what has reached the transcript: those notices are done with. */
  delivered(arrivals: readonly Arrival[]): Promise<void>;
  /** Ends all that run and waits for them, at most for a while. Nothing is begun any more. */
  close(): Promise<void>;
}

export interface RegistryDeps {
  readonly clock: Clock;
  readonly within: typeof within;
  readonly ids: Ids;
  readonly store: TaskStore;
  readonly tell: (arrival: Arrival) => void;
  readonly onEvent: (event: TaskEvent) => void;
  /** A line about a disk that does not do what it should. */
  readonly onProblem: (problem: string) => void;
}

const EVICT_MS = 3_000;
const FULL_OUTPUT = 'Its output file is full (TROUPE_TASK_OUTPUT_MAX).';
/** Longer than an agent that was asked to end may take. */
const CLOSE_MS = 15_000;

/** The tasks of one session: agents in the foreground and in the background, and commands that run beside it. */
export function createTaskRegistry(deps: RegistryDeps): TaskRegistry {
  const tasks = new Map<string, Task>();
  const beginning = new Set<Promise<unknown>>();
  const finishing = new Set<Promise<unknown>>();
  let isClosing = false;
  const closed = new AbortController();
  const evictLater = (id: string) =>
    void deps.clock.sleep(EVICT_MS, closed.signal).then(
      () => tasks.delete(id),
      () => {},
    );

  return {
    async begin(spec) {
      // Nobody would end it, and its process would go on with it.
      if (isClosing) throw new UserError('The session is ending: nothing is started any more.');
      const begun = beginTask(spec, deps, (id) => {
        // There is no notice that it waits for.
        if (tasks.get(id)?.record().backgrounded === false) evictLater(id);
      }).finally(() => beginning.delete(begun));
      beginning.add(begun);
      const task = await begun;
      const { id } = task.record();
      const tracked: Task = {
        ...task,
        end(outcome, decorations) {
          const ending = task.end(outcome, decorations).finally(() => finishing.delete(ending));
          finishing.add(ending);
          return ending;
        },
      };
      tasks.set(id, tracked);
      if (isClosing) tracked.stop();
      return tracked;
    },
    find: (idOrName) =>
      tasks.get(idOrName) ??
      [...tasks.values()].findLast((task) => {
        const { agentId, name } = task.record();
        return agentId === idOrName || name === idOrName;
      }),
    load: (idOrName) => deps.store.load(idOrName),
    all: () => [...tasks.values()],
    async delivered(arrivals) {
      for (const { notice } of arrivals) {
        if (notice === undefined) continue;
        await deps.store.dropNotice(notice);
        evictLater(notice);
      }
    },
    async close() {
      isClosing = true;
      await deps.within(deps.clock, CLOSE_MS, () => Promise.allSettled(beginning));
      const running = [...tasks.values()].filter((task) => task.record().status === 'running');
      for (const task of running) task.stop();
      await deps.within(deps.clock, CLOSE_MS, () => Promise.all(running.map(({ ended }) => ended)));
      await deps.within(deps.clock, CLOSE_MS, () => Promise.all(finishing));
      closed.abort();
    },
  };
}

async function beginTask(
  { outputFile, ...spec }: NewTask,
  deps: RegistryDeps,
  onEnd: (id: string) => void,
): Promise<Task> {
  const { clock, ids, store, onEvent, onProblem } = deps;
  const id = `task-${ids.hex(12)}`;
  const stopping = new AbortController();
  const moved = deferred<void>();
  const ended = deferred<TaskRecord>();
  let stopped: Stopped | undefined;
  const stop: Task['stop'] = (as = 'killed', because) => {
    stopped ??= { as, because };
    stopping.abort();
  };
  const output = outputFile === undefined ? await store.openOutput(id, () => stop('killed', FULL_OUTPUT)) : undefined;
  let record: TaskRecord = {
    ...spec,
    id,
    status: 'running',
    startedAt: clock.now(),
    progress: NO_PROGRESS,
    notified: false,
    outputFile: output?.path ?? outputFile ?? '',
  };

  let saving: Promise<void> = Promise.resolve();
  /** Each save writes what the record is when its turn comes, so that the file never goes back. */
  const save = (): Promise<void> => {
    saving = saving.catch(() => {}).then(() => store.save(record));
    return saving;
  };
  const trying = (what: string, work: Promise<unknown>) =>
    work.then(
      () => {},
      (error: unknown) => onProblem(`Task ${id}: ${what}: ${messageOf(error)}`),
    );
  try {
    await save();
  } catch (error) {
    await output?.finish('').catch(() => {});
    throw error;
  }
  onEvent({ type: 'task_started', task: record });

  const notify = async (facts: NoticeFacts) => {
    const text = taskNotice(record, facts);
    await trying('its notice could not be kept', store.keepNotice(id, text));
    record = { ...record, notified: true };
    await trying('its record could not be written', save());
    deps.tell({ text, from: 'other', mail: [id], wakes: true, notice: id });
  };

  return {
    record: () => record,
    signal: stopping.signal,
    log: (text) => output?.write(text),
    lastLines: () => output?.lastLines() ?? [],
    advance(progress) {
      if (record.status !== 'running' || progress === record.progress) return;
      record = { ...record, progress };
      void trying('its record could not be written', save());
      onEvent({ type: 'task_progress', task: record });
    },
    async moveToBackground() {
      if (record.status !== 'running' || record.backgrounded) return;
      record = { ...record, backgrounded: true };
      await save();
      moved.resolve();
    },
    moved: moved.promise,
    stop,
    stopped: () => stopped,
    async end(outcome, decorations = {}) {
      if (record.status !== 'running') return {};
      const { status, result, error, usage } = outcome;
      record = {
        ...record,
        status,
        endedAt: clock.now(),
        ...(result !== undefined && { result }),
        ...(error !== undefined && { error }),
      };
      await trying('its output could not be written', output?.finish(lastSection(outcome)) ?? Promise.resolve());
      await trying('its record could not be written', save());
      ended.resolve(record);
      onEvent({ type: 'task_notification', task: record });
      onEnd(id);
      const facts = await decorated(decorations, deps);
      if (facts.warning !== undefined)
        await trying('its output could not be marked', output?.putFirst(facts.warning) ?? Promise.resolve());
      if (record.backgrounded) await notify({ ...facts, usage });
      return facts;
    },
    ended: ended.promise,
  };
}

/** Exactly what the notice is about, so that whoever reads the file's end reads the result. */
function lastSection({ status, result = '', error }: TaskOutcome): string {
  const reason = error === undefined ? '' : `[${status}: ${error}]`;
  if (status === 'killed' || status === 'timed_out') return [`[${status}]`, result].filter(Boolean).join('\n');
  return [reason, result].filter(Boolean).join('\n');
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((yes) => {
    resolve = yes;
  });
  return { promise, resolve };
}
