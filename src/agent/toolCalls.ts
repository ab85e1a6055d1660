import type { ContentBlockParam, ToolResultBlockParam, ToolUseBlock } from '../model/types.js';
import { isAbort, messageOf, ToolError } from '../util/errors.js';
import { didYouMean } from '../util/text.js';
import { batchesOf } from './batches.js';
import type { AgentEvent } from './events.js';
import type { AgentState, Gate } from './ports.js';
import type { ReadLedger, Tool, ToolOutput } from './tool.js';

export interface CallDeps {
  readonly tools: readonly Tool[];
  readonly gate: Gate;
  readonly state: AgentState;
  readonly readLedger: ReadLedger;
  /** Aborted when the agent shall stop at the next step: a running call is finished, later ones are not run. */
  readonly drain: AbortSignal;
}

export interface Answered {
  readonly results: readonly ToolResultBlockParam[];
  readonly endsTurn: boolean;
}

type Answer = { result: ToolResultBlockParam; output?: ToolOutput; denied?: string };

const NO_OUTPUT = '(no output)';
export const NOT_RUN = 'This call was not run: the turn was ended first.';

/**
 * Runs a message's tool calls, those that may side by side, and answers every one of them whatever happens: the API
 * refuses a conversation in which one is left open.
 */
export async function* answerCalls(
  calls: readonly ToolUseBlock[],
  deps: CallDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Answered> {
  const results: ToolResultBlockParam[] = [];
  let endsTurn = false;
  const isConcurrent = (call: ToolUseBlock) => toolOf(call, deps.tools)?.isConcurrent ?? false;
  for (const batch of batchesOf(calls, isConcurrent)) {
    if (signal.aborted || deps.drain.aborted || endsTurn) {
      results.push(...batch.map((call) => failure(call, NOT_RUN)));
      continue;
    }
    for (const call of batch) yield { type: 'tool_started', call };
    const answers = await Promise.all(batch.map((call) => answerCall(call, deps, signal)));
    for (const [index, { result, output, denied }] of answers.entries()) {
      const call = batch[index];
      if (denied !== undefined && call) yield { type: 'tool_denied', call, because: denied };
      results.push(result);
      if (output?.cwd !== undefined) deps.state.cwd = output.cwd;
      if (output?.mode !== undefined) deps.state.mode = output.mode;
      if (output?.endsTurn !== undefined) endsTurn = true;
    }
  }
  return { results, endsTurn };
}

async function answerCall(
  call: ToolUseBlock,
  { tools, gate, state, readLedger, drain }: CallDeps,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const tool = toolOf(call, tools);
    if (!tool) {
      const names = tools.map(({ name }) => name);
      throw new ToolError(`There is no tool "${call.name}".${didYouMean(call.name, names)} Tools: ${names.join(', ')}`);
    }
    const context = { cwd: state.cwd, mode: state.mode, signal, toolUseId: call.id, readLedger };
    const prepared = tool.prepare(call.input, context);
    const answer = await gate.decide(tool, prepared.access, call, AbortSignal.any([signal, drain]));
    // Whoever was asked may have taken long.
    if (signal.aborted || drain.aborted) return { result: failure(call, NOT_RUN) };
    if (!answer.allow) return { result: failure(call, answer.because), denied: answer.because };
    const output = await prepared.run();
    return { result: resultOf(call, output), output };
  } catch (error) {
    return { result: failure(call, explain(call, error, signal)) };
  }
}

function toolOf(call: ToolUseBlock, tools: readonly Tool[]): Tool | undefined {
  return tools.find(({ name }) => name === call.name);
}

function resultOf(call: ToolUseBlock, { content, isError }: ToolOutput): ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: call.id,
    content: typeof content === 'string' ? content || NO_OUTPUT : resultBlocks(content),
    ...(isError === true && { is_error: true }),
  };
}

function resultBlocks(
  blocks: readonly ContentBlockParam[],
): NonNullable<Exclude<ToolResultBlockParam['content'], string>> {
  const shown = blocks
    .filter((block) => block.type === 'text' || block.type === 'image' || block.type === 'document')
    .filter((block) => block.type !== 'text' || block.text.trim() !== '');
  return shown.length > 0 ? shown : [{ type: 'text', text: NO_OUTPUT }];
}

function failure(call: ToolUseBlock, because: string): ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: call.id, content: because || NO_OUTPUT, is_error: true };
}

function explain(call: ToolUseBlock, error: unknown, signal: AbortSignal): string {
  if (error instanceof ToolError) return error.message;
  if (signal.aborted || isAbort(error)) return `${call.name} was cancelled before it was done.`;
  return `${call.name} broke: ${messageOf(error)}`;
}
