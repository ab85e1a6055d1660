import type { ContentBlockParam, ToolResultBlockParam, ToolUseBlock } from '../../model/types.js';
import { toolNameOf } from '../../permissions/rule.js';
import { isAbort, messageOf, ToolError } from '../../util/errors.js';
import { didYouMean } from '../../util/text.js';
import type { AgentEvent } from '../events.js';
import { type AfterCall, type HooksPort, withTold } from '../hooks.js';
import type { AgentState, Gate, HookedCall } from '../ports.js';
import type { PreparedCall, ReadLedger, Sight, Tool, ToolContext, ToolOutput } from '../tool.js';
import { batchesOf } from './batches.js';

export interface CallDeps {
  readonly tools: readonly Tool[];
  readonly gate: Gate;
  readonly state: AgentState;
  readonly readLedger: ReadLedger;
  /** Aborted when the agent shall stop at the next step: a running call is finished, later ones are not run. */
  readonly drain: AbortSignal;
  /** Absent where there are none. */
  readonly hooks?: HooksPort | undefined;
}

export interface Answered {
  readonly results: readonly ToolResultBlockParam[];
  readonly endsTurn: boolean;
  /** A hook ended the turn. */
  readonly stopped: boolean;
  /** The denial with which the agent is ended. */
  readonly endedBy?: string | undefined;
}

type Answer = { result: ToolResultBlockParam; output?: ToolOutput; denied?: string; stops?: boolean; ends?: boolean };

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
  let stopped = false;
  let endedBy: string | undefined;
  const isConcurrent = (call: ToolUseBlock) => toolOf(call, deps.tools)?.isConcurrent ?? false;
  for (const batch of batchesOf(calls, isConcurrent)) {
    if (signal.aborted || deps.drain.aborted || endsTurn || stopped || endedBy !== undefined) {
      results.push(...batch.map((call) => failure(call, NOT_RUN)));
      continue;
    }
    for (const call of batch) yield { type: 'tool_started', call };
    const answers = await Promise.all(batch.map((call) => answerCall(call, deps, signal)));
    for (const [index, { result, output, denied, stops, ends }] of answers.entries()) {
      const call = batch[index];
      if (denied !== undefined && call) yield { type: 'tool_denied', call, because: denied };
      results.push(result);
      if (output?.cwd !== undefined) deps.state.cwd = output.cwd;
      if (output?.mode !== undefined) deps.state.mode = output.mode;
      if (output?.endsTurn !== undefined) endsTurn = true;
      if (stops) stopped = true;
      if (ends) endedBy ??= denied;
    }
  }
  return { results, endsTurn, stopped, endedBy };
}

async function answerCall(call: ToolUseBlock, deps: CallDeps, signal: AbortSignal): Promise<Answer> {
  const { tools, state, readLedger } = deps;
  try {
    const tool = toolOf(call, tools);
    if (!tool) {
      const names = tools.map(({ name }) => name);
      throw new ToolError(`There is no tool "${call.name}".${didYouMean(call.name, names)} Tools: ${names.join(', ')}`);
    }
    let sight: Sight | undefined;
    const context: ToolContext = {
      ...{ cwd: state.cwd, mode: state.mode, signal, toolUseId: call.id, readLedger },
      mayRead: (path) => sight?.mayRead(path) ?? true,
      mayReach: (server) => sight?.mayReach(server) ?? true,
    };
    const see = (seen: Sight | undefined) => {
      sight = seen;
    };
    // By the name that rules and hooks know.
    return await judgedCall(tool, { ...call, name: tool.name }, { context, see }, deps);
  } catch (error) {
    return { result: failure(call, explain(call, error, signal)) };
  }
}

/** What is given is refused, or run: hooks first, then rules and whoever is asked. @throws ToolError for a bad input. */
async function judgedCall(
  tool: Tool,
  call: ToolUseBlock,
  { context, see }: { readonly context: ToolContext; readonly see: (sight: Sight | undefined) => void },
  { gate, hooks, drain }: CallDeps,
): Promise<Answer> {
  const { signal } = context;
  const either = AbortSignal.any([signal, drain]);
  const isLate = () => signal.aborted || drain.aborted;
  let asked = call;
  let prepared = tool.prepare(call.input, context);
  const before = await hooks?.beforeCall({ tool, access: prepared.access, call }, either);
  if (isLate()) return { result: failure(call, NOT_RUN) };
  const stops = before?.stops === true;
  const refusal = (because: string) =>
    resultOf(call, withTold({ content: because || NO_OUTPUT, isError: true }, [before?.told]));
  if (before?.refused !== undefined) return { result: refusal(before.refused), denied: before.refused, stops };
  const change = (input: unknown) => {
    asked = { ...call, input };
    prepared = tool.prepare(input, context);
  };
  if (before?.input) change(before.input);
  const decide = () => gate.decide(tool, prepared.access, asked, either, hooks && { ...hooks, said: before?.said });
  let answer = await decide();
  if (answer.allow && answer.input) {
    // What a hook made of it is judged too, once.
    change(answer.input);
    answer = await decide();
  }
  // Whoever was asked may have taken long.
  if (isLate()) return { result: failure(call, NOT_RUN), stops };
  if (!answer.allow) {
    const { because, ends = false } = answer;
    return { result: refusal(because), denied: because, stops: stops || answer.stops === true, ends };
  }
  see(answer.sight);
  const { output, after } = await ran({ tool, access: prepared.access, call: asked }, prepared, hooks, signal);
  return {
    result: resultOf(call, withTold(output, [before?.told, after?.told])),
    output,
    stops: stops || after?.stops === true,
  };
}

async function ran(
  call: HookedCall,
  prepared: PreparedCall,
  hooks: HooksPort | undefined,
  signal: AbortSignal,
): Promise<{ readonly output: ToolOutput; readonly after?: AfterCall | undefined }> {
  let output: ToolOutput;
  try {
    output = await prepared.run();
  } catch (error) {
    if (!hooks) throw error;
    output = { content: explain(call.call, error, signal), isError: true };
  }
  return { output, after: await hooks?.afterCall(call, output, signal) };
}

function toolOf(call: ToolUseBlock, tools: readonly Tool[]): Tool | undefined {
  return tools.find(({ name }) => name === toolNameOf(call.name));
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
