import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';

const Question = z.object({
  question: z.string().check(z.minLength(1)),
  header: z.string().check(z.minLength(1), z.maxLength(12), z.describe('A word or two for it')),
  options: z
    .array(
      z.object({
        label: z.string().check(z.minLength(1), z.describe('1 to 5 words')),
        description: z.string().check(z.describe('What choosing it means')),
      }),
    )
    .check(z.minLength(2), z.maxLength(4)),
  multiSelect: z._default(z.boolean().check(z.describe('Several may be chosen')), false),
});
export type Question = z.infer<typeof Question>;

/** Asks the person at this agent's terminal; `undefined` when nobody answers in time. Rejects when aborted. */
export type AskUser = (question: Question, signal: AbortSignal) => Promise<string | undefined>;

/** For a lead with a person at its terminal. */
export function createAskUserQuestionTool(ask: AskUser): Tool {
  return defineTool({
    name: 'AskUserQuestion',
    description:
      'Ask the user to choose, when you cannot go on without knowing and neither the code nor what was said tells. They may also answer in their own words, so offer no "other".',
    input: z.object({ questions: z.array(Question).check(z.minLength(1), z.maxLength(4)) }),
    isReadOnly: true,
    isCoordination: true,
    isConcurrent: false,
    access: () => ({ kind: 'none' }),
    async call({ questions }, { signal }) {
      const texts = questions.map(({ question }) => question);
      if (new Set(texts).size < texts.length) throw new ToolError('Two questions are the same. Ask each once.');
      for (const { question, options } of questions) {
        const labels = options.map(({ label }) => label.toLowerCase());
        if (new Set(labels).size < labels.length)
          throw new ToolError(`Two options of ${JSON.stringify(question)} have the same label. Tell them apart.`);
      }
      const answers = await Promise.all(
        questions.map(async (question) => [question.question, await ask(question, signal)] as const),
      );
      const given = answers.filter(([, answer]) => answer !== undefined);
      if (given.length === 0)
        return 'The user did not answer in time. Go on as you think best, and say what you assumed.';
      const open = answers.filter(([, answer]) => answer === undefined).map(([question]) => question);
      return JSON.stringify({ answers: Object.fromEntries(given), ...(open.length > 0 && { unanswered: open }) });
    },
  });
}
