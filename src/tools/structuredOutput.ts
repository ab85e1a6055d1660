import type { Tool } from '../agent/tool.js';
import type { ToolSchema } from '../model/types.js';
import { ToolError } from '../util/errors.js';

export const STRUCTURED_OUTPUT = 'StructuredOutput';

export interface StructuredOutputDeps {
  /** The user's own: the input that the model gives is the answer. */
  readonly schema: ToolSchema['input_schema'];
  /** What is wrong with an answer, a line each; nothing where it fits. */
  readonly problemsOf: (answer: unknown) => readonly string[];
  readonly accept: (answer: unknown) => void;
  /** Told of an answer that does not fit. */
  readonly refuse: (problems: readonly string[]) => void;
}

/** The answer of a run as data: what `--json-schema` asks for. */
export function createStructuredOutputTool({ schema, problemsOf, accept, refuse }: StructuredOutputDeps): Tool {
  return {
    name: STRUCTURED_OUTPUT,
    schema: {
      name: STRUCTURED_OUTPUT,
      description:
        'Gives the answer of the whole run, in the form that was asked for. Call it once, when everything is done; called again, the newer answer counts.',
      input_schema: schema,
    },
    isReadOnly: true,
    isCoordination: true,
    isConcurrent: false,
    prepare(raw) {
      const problems = problemsOf(raw);
      if (problems.length > 0) {
        refuse(problems);
        throw new ToolError(
          `The answer does not fit its schema:\n${problems.join('\n')}\nCall ${STRUCTURED_OUTPUT} again.`,
        );
      }
      return {
        access: { kind: 'none' },
        async run() {
          accept(raw);
          return { content: 'The answer fits its schema and was taken.' };
        },
      };
    },
  };
}
