import type { Clock } from '../host/clock.js';
import { watchFolder } from '../store/watchFile.js';
import type { Mailbox } from './mailbox.js';

/** One loop and one timer for all inboxes of a process. */
export interface Poller {
  /**
   * Calls `onNews` when the inbox may hold something new, until `signal` is aborted. Never while an earlier call for the
   * same inbox is under way; one that fails is made again at the next tick.
   */
  add(mailbox: Inbox, onNews: () => Promise<void>, signal: AbortSignal): void;
  /** Polls until `signal` is aborted and the calls under way have ended. */
  run(signal: AbortSignal): Promise<void>;
  /** Polls now, not at the next tick. */
  wake(): void;
}

type Inbox = Pick<Mailbox, 'member' | 'delivered' | 'prepare' | 'hasNews'>;

export interface PollerOptions {
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** Whether the file system may wake it sooner. */
  readonly watch: boolean;
  readonly onProblem?: (member: string, error: unknown) => void;
}

interface Entry {
  readonly mailbox: Inbox;
  readonly onNews: () => Promise<void>;
  isAskedAgain: boolean;
  hasFailed: boolean;
  running: Promise<void> | undefined;
}

export function createPoller(clock: Clock, { everyMs, watch, onProblem = () => {} }: PollerOptions): Poller {
  const entries = new Set<Entry>();
  let isRunning = false;
  let nap = new AbortController();

  const check = (entry: Entry): void => {
    if (!isRunning || !entries.has(entry)) return;
    entry.isAskedAgain = true;
    entry.running ??= lookAt(entry).finally(() => {
      entry.running = undefined;
    });
  };

  const lookAt = async (entry: Entry): Promise<void> => {
    try {
      while (entry.isAskedAgain && entries.has(entry)) {
        entry.isAskedAgain = false;
        const hasNews = entry.hasFailed || (await entry.mailbox.hasNews());
        if (hasNews && entries.has(entry)) await entry.onNews();
        entry.hasFailed = false;
      }
    } catch (error) {
      entry.hasFailed = true;
      onProblem(entry.mailbox.member, error);
    }
  };

  return {
    add(mailbox, onNews, signal) {
      if (signal.aborted) return;
      const entry: Entry = { mailbox, onNews, isAskedAgain: false, hasFailed: false, running: undefined };
      entries.add(entry);
      signal.addEventListener('abort', () => entries.delete(entry), { once: true });
      check(entry);
      if (!watch) return;
      mailbox.prepare().then(
        () => watchFolder(mailbox.delivered, () => check(entry), signal),
        (error: unknown) => onProblem(mailbox.member, error),
      );
    },
    async run(signal) {
      const end = () => nap.abort();
      signal.addEventListener('abort', end);
      isRunning = true;
      while (!signal.aborted) {
        nap = new AbortController();
        for (const entry of entries) check(entry);
        await clock.sleep(everyMs, nap.signal).catch(() => {});
      }
      isRunning = false;
      signal.removeEventListener('abort', end);
      await Promise.all([...entries].map(({ running }) => running));
    },
    wake: () => nap.abort(),
  };
}
