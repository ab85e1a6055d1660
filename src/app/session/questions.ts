import type { RunRecordFile } from '../../team/runRecord.js';
import type { AskUser, Question } from '../../tools/askUserQuestion.js';
import { UserError } from '../../util/errors.js';

export interface OpenQuestion extends Question {
  /** `q1`, `q2`, … in this session. */
  readonly id: string;
}

export interface QuestionScreen {
  show(question: OpenQuestion): void;
  /** It waits no longer, and was not answered. */
  withdraw(question: OpenQuestion): void;
}

export interface Questions {
  readonly ask: AskUser;
  open(): readonly OpenQuestion[];
  /** @param choice numbers or labels of options with commas between them, or the person's own words. @throws UserError */
  answer(id: string, choice: string): string;
}

/** What a lead's model asks its person. It lives as long as the call that asks: a lead that starts anew asks anew. */
export function createQuestions(screen: QuestionScreen): Questions {
  const waiting = new Map<string, { readonly question: OpenQuestion; readonly resolve: (answer: string) => void }>();
  let count = 0;
  return {
    open: () => [...waiting.values()].map(({ question }) => question),
    async ask(asked, signal) {
      const question = { ...asked, id: `q${++count}` };
      const answered = new Promise<string>((resolve) => waiting.set(question.id, { question, resolve }));
      try {
        screen.show(question);
        return await Promise.race([answered, untilAborted(signal)]);
      } finally {
        if (waiting.delete(question.id)) screen.withdraw(question);
      }
    },
    answer(id, choice) {
      const found = waiting.get(id);
      if (!found) {
        const ids = [...waiting.keys()].join(', ');
        throw new UserError(
          `No question ${JSON.stringify(id)} waits. ${ids === '' ? 'None does.' : `Waiting: ${ids}`}`,
        );
      }
      const answer = chosen(found.question, choice);
      waiting.delete(id);
      found.resolve(answer);
      return `Answered: ${answer}`;
    },
  };
}

/** Asks as `ask` does, with what is not answered yet in the member's record, for whoever looks at the team from elsewhere. */
export function recordedAsk(record: Pick<RunRecordFile, 'current' | 'change'>, ask: AskUser): AskUser {
  const waiting = new Set<Question>();
  const note = async () => {
    const { waitingFor } = record.current();
    const questions = [...waiting].map(({ question }) => question);
    if (questions.length > 0) await record.change({ waitingFor: 'question', questions });
    else await record.change({ questions: undefined, ...(waitingFor === 'question' && { waitingFor: undefined }) });
  };
  return async (question, signal) => {
    waiting.add(question);
    try {
      await note();
      return await ask(question, signal);
    } finally {
      waiting.delete(question);
      await note();
    }
  };
}

/** The options that are meant, by number or label; what names none of them is an answer in the person's own words. */
function chosen({ options, multiSelect, id }: OpenQuestion, choice: string): string {
  const text = choice.trim();
  if (text === '') throw new UserError(`Say what you choose: /answer ${id} 1`);
  const isNumber = (word: string) => /^\d+$/.test(word);
  const optionOf = (word: string) => {
    const byLabel = options.find(({ label }) => label.toLowerCase() === word.toLowerCase());
    const byNumber = isNumber(word) ? options[Number(word) - 1] : undefined;
    if (byLabel && byNumber && byLabel !== byNumber)
      throw new UserError(`Is ${word} the option ${word} (${byNumber.label}), or that label? Say it in more words.`);
    return byLabel ?? byNumber;
  };
  const whole = optionOf(text);
  if (whole) return whole.label;
  const words = text.split(',').map((word) => word.trim());
  // Where options are numbers themselves, another one is an answer.
  const isSlip =
    !options.some(({ label }) => isNumber(label)) && words.some((word) => isNumber(word) && !optionOf(word));
  if (isSlip) throw new UserError(`There are only the options 1 to ${options.length}.`);
  const labels = words.map((word) => optionOf(word)?.label);
  if (labels.some((label) => label === undefined)) return text;
  if (!multiSelect) throw new UserError('Only one can be chosen.');
  return [...new Set(labels)].join(', ');
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });
}
