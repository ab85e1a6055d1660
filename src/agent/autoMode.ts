import type { HookedAnswer, PermissionQuestion } from './ports.js';

/** What a classifier says of one call. @throws Error where it cannot say anything. */
export type JudgeCall = (
  question: PermissionQuestion,
  signal: AbortSignal,
) => Promise<{ readonly block: boolean; readonly reason: string }>;

export type AutoDecision = 'allowed' | 'denied' | 'unavailable' | 'handed-over' | 'stopped';

/** The denials after which a person decides (engine.md, Permissions). */
const MOST_IN_A_ROW = 3;
const MOST_IN_ALL = 20;

/** An agent was ended by the denials of mode auto, for there is nobody to ask. */
export class DeniedError extends Error {
  override readonly name = 'DeniedError';
}

/** Asks a person, or the hooks that answer in a person's place. */
type Ask = (question: PermissionQuestion, signal: AbortSignal) => Promise<HookedAnswer>;

/** Decides on a call that no rule settles; `ask` is for what it leaves to a person. */
export type AutoMode = (question: PermissionQuestion, signal: AbortSignal, ask: Ask) => Promise<HookedAnswer>;

export interface AutoModeDeps {
  readonly judgeCall: JudgeCall;
  /** Whether a person can be asked at all. */
  readonly hasPerson: boolean;
  /** Told of each decision. */
  readonly onDecision?: ((decision: AutoDecision) => void) | undefined;
}

/** Mode auto of one agent: a classifier decides on calls that no rule settles, and a person where it denies too much. */
export function createAutoMode({ judgeCall, hasPerson, onDecision }: AutoModeDeps): AutoMode {
  let inARow = 0;
  let inAll = 0;

  const handedOver: AutoMode = async (question, signal, ask) => {
    onDecision?.('handed-over');
    const answer = await ask(
      withReason(question, `mode auto has denied ${spoken(inARow, inAll)}, so you decide`),
      signal,
    );
    // Only a yes lets the classifier go on.
    if (answer.allow) {
      if (inAll >= MOST_IN_ALL) inAll = 0;
      inARow = 0;
    }
    return answer;
  };

  return async (question, signal, ask) => {
    if (inARow >= MOST_IN_A_ROW || inAll >= MOST_IN_ALL) return handedOver(question, signal, ask);
    let said: Awaited<ReturnType<JudgeCall>>;
    try {
      said = await judgeCall(question, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      onDecision?.('unavailable');
      const why = error instanceof Error ? error.message : String(error);
      return ask(withReason(question, `the classifier of mode auto did not answer: ${why}`), signal);
    }
    if (!said.block) {
      inARow = 0;
      onDecision?.('allowed');
      return { allow: true };
    }
    inARow++;
    inAll++;
    const because = `Mode auto denies this: ${question.description}. Reason: ${said.reason}`;
    if (!hasPerson && (inARow >= MOST_IN_A_ROW || inAll >= MOST_IN_ALL)) {
      onDecision?.('stopped');
      return {
        allow: false,
        ends: true,
        because: `${because} That makes ${spoken(inARow, inAll)} denied and nobody is there to be asked, so the agent is stopped.`,
      };
    }
    onDecision?.('denied');
    return { allow: false, because: `${because} Find another way that is not denied; do not try to get around it.` };
  };
}

const spoken = (inARow: number, inAll: number) =>
  inARow >= MOST_IN_A_ROW ? `${inARow} calls in a row` : `${inAll} calls in all`;

function withReason(question: PermissionQuestion, reason: string): PermissionQuestion {
  return { ...question, description: `${question.description} (${reason})` };
}
