import type { AskPort, PermissionAnswer, PermissionQuestion } from '../agent/ports.js';
import { type Clock, within } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import type { Answer, Requests } from '../team/requests.js';
import { UserError } from '../util/errors.js';

export interface AskDeps {
  readonly self: string;
  readonly requests: Requests;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Milliseconds until silence is a denial; 0 where nobody can be asked. */
  readonly timeoutMs: number;
  /** Tells whoever may decide that there is something to decide. */
  readonly announce: (request: {
    readonly id: string;
    readonly tool: string;
    readonly input: unknown;
    readonly description: string;
    readonly suggestions: readonly object[];
  }) => Promise<void>;
  /** What the call would change, for whoever is asked; nothing where its input says all. */
  readonly preview?: (question: PermissionQuestion) => Promise<string | undefined>;
  /** The member waits, or waits no longer. */
  readonly waiting: (requestId: string | undefined) => Promise<void>;
}

export interface Asker {
  readonly ask: AskPort;
  /** An answer may have come: looks at the answer's file. */
  check(): Promise<void>;
  /** What waits is denied for this reason: nobody need answer it any more. An answer that came in this very moment counts. */
  withdraw(because: string): Promise<void>;
}

const NOBODY = 'Nobody can be asked in this run and no rule allows it. Do without it, or report what you could not do.';

/** Asks by a request on disk; the answer is a file too, so that neither a restart nor a lost message loses it. */
export function createAsker({ self, requests, clock, ids, timeoutMs, announce, preview, waiting }: AskDeps): Asker {
  const pending = new Map<string, (answer: Answer) => void>();
  const late = `Nobody answered within ${Math.round(timeoutMs / 6000) / 10} min, so it is denied.`;

  const ask: AskPort = async (question, signal) => {
    const { tool, input, description, suggestions } = question;
    if (timeoutMs <= 0) return { allow: false, because: `${description} needs a permission. ${NOBODY}` };
    const id = ids.uuid();
    const change = await preview?.(question);
    await requests.create({
      id,
      kind: 'permission',
      from: self,
      tool,
      input,
      description,
      ...(change !== undefined && { preview: change }),
      suggestions: [...suggestions],
    });
    await waiting(id);
    const answered = new Promise<Answer>((resolve) => pending.set(id, resolve));
    try {
      await announce({ id, tool, input, description, suggestions });
      const answer = await within(clock, timeoutMs, () => Promise.race([answered, aborted(signal)]));
      if (answer) return toAnswer(answer, description);
      return toAnswer(
        signal.aborted
          ? await giveUp(id, 'nobody (the turn was ended)', 'The turn was ended before anybody answered.')
          : await giveUp(id, 'nobody (no answer in time)', late),
        description,
      );
    } finally {
      pending.delete(id);
      await waiting([...pending.keys()].at(-1));
    }
  };

  /** From here on a late answer is an error to its sender. One that came in this very moment counts. */
  const giveUp = async (id: string, by: string, message: string): Promise<Answer> => {
    try {
      return await requests.answer({ id, by, approve: false, message });
    } catch (error) {
      const answer = error instanceof UserError ? await requests.answerOf(id) : undefined;
      if (answer) return answer;
      throw error;
    }
  };

  return {
    ask,
    async check() {
      for (const [id, resolve] of pending) {
        const answer = await requests.answerOf(id);
        if (answer) resolve(answer);
      }
    },
    async withdraw(because) {
      for (const [id, resolve] of pending) resolve(await giveUp(id, 'nobody (withdrawn)', because));
    },
  };
}

function toAnswer({ approve, message }: Answer, description: string): PermissionAnswer {
  return approve
    ? { allow: true }
    : { allow: false, because: `Denied: ${description}.${message ? ` Reason: ${message}` : ''}` };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
