import { readFile } from 'node:fs/promises';
import type { Tool } from '../../agent/tool.js';
import { type Answer, createAnswer } from '../../headless/answer.js';
import { parseJsonSchema } from '../../headless/jsonSchema.js';
import { createStructuredOutputTool, STRUCTURED_OUTPUT } from '../../tools/structuredOutput.js';
import { mendedSchema } from '../../tools/support/mcp/mcpSchema.js';
import { messageOf, UserError } from '../../util/errors.js';

/** What `--json-schema` asks of a lead. */
export interface AskedAnswer {
  readonly answer: Answer;
  /** The lead's tool to give it with. */
  readonly tool: Tool;
}

/** Said behind the lead's prompt. */
export const ASKS_FOR_IT = `When everything is done, give the answer with the tool ${STRUCTURED_OUTPUT}: only that counts.`;
/** Said to a lead that ended without it. */
export const STILL_MISSING = `The answer is still missing: call the tool ${STRUCTURED_OUTPUT}.`;

/** @throws UserError that names what is wrong with the file. */
export async function askedAnswer(file: string): Promise<AskedAnswer> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UserError(`--json-schema cannot be read: ${messageOf(error)}`, undefined, { cause: error });
  });
  const { schema, problemsOf } = await parseJsonSchema(text, file);
  const mended = mendedSchema(STRUCTURED_OUTPUT, schema);
  if ('problem' in mended)
    throw new UserError(`${file} is a schema that no model can be asked for: ${mended.problem}.`);
  const answer = createAnswer();
  const tool = createStructuredOutputTool({
    // What the model is shown; what its answer must fit is the user's own.
    schema: mended.schema,
    problemsOf,
    accept: (value) => answer.accept(value),
    refuse: (problems) => answer.miss(problems),
  });
  return { answer, tool };
}
