import type {
  AssistantMessage,
  ContentBlockParam,
  MessageParam,
  ModelClient,
  ModelReply,
  TextBlockParam,
  ToolUseBlock,
} from '../model/types.js';
import { ModelError } from '../model/types.js';
import { messageOf } from '../util/errors.js';
import type { Arrival, Arrivals } from './arrivals.js';
import type { AgentEvent, TurnEnd } from './events.js';
import type { TranscriptPort } from './ports.js';
import { finalText } from './result.js';
import { answerCalls, type CallDeps } from './toolCalls.js';

/** How often an answer that ran into the output limit is taken up again. */
const MAX_CONTINUATIONS = 3;
const CONTINUE = 'Your answer was cut off by the output limit. Go on exactly where it stopped, in smaller steps.';

export interface LoopDeps extends CallDeps {
  readonly client: ModelClient;
  readonly model: string;
  readonly system: readonly string[];
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  readonly userId: string;
  readonly transcript: TranscriptPort;
  readonly arrivals: Arrivals;
  /** Called with each arrival once it is in the transcript. */
  readonly delivered: (arrivals: readonly Arrival[]) => Promise<void>;
  /** Model responses that the agent may still have; checked before each request. */
  readonly turnsLeft: () => number;
}

/**
 * From a prompt to the answer that asks for no more tools. Never throws for the failure of a model or a tool: that is
 * how the turn ended. `history` gets every message that the transcript gets.
 */
export async function* runTurn(
  history: MessageParam[],
  prompt: readonly ContentBlockParam[],
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, TurnEnd> {
  const start = history.length;
  const end = (
    rest: { reason: Exclude<TurnEnd['reason'], 'failed'> } | { reason: 'failed'; error: Error },
  ): TurnEnd => ({ ...rest, text: finalText(history.slice(start)) });
  const stopped = () => signal.aborted || deps.drain.aborted;
  const streaming = AbortSignal.any([signal, deps.drain]);
  let continuations = 0;

  if (stopped()) return end({ reason: 'aborted' });
  const waiting = deps.arrivals.take();
  yield {
    type: 'prompt',
    message: await addUser(history, [...prompt, ...waiting.map(({ text }) => textBlock(text))], deps, waiting),
  };
  for (;;) {
    if (stopped()) return end({ reason: 'aborted' });
    if (deps.turnsLeft() <= 0) return end({ reason: 'max-turns' });

    let reply: ModelReply;
    try {
      reply = yield* ask(history, deps, streaming);
    } catch (error) {
      if (stopped()) return end({ reason: 'aborted' });
      return end({ reason: 'failed', error: error instanceof Error ? error : new Error(messageOf(error)) });
    }

    const message = fitToSendBack(reply.message);
    if (message.content.length > 0) {
      history.push({ role: 'assistant', content: message.content });
      await deps.transcript.append('assistant', { role: 'assistant', content: message.content });
    }
    yield { type: 'assistant', message, usage: reply.usage, costUsd: reply.costUsd, durationMs: reply.durationMs };

    const calls = message.content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
    if (calls.length > 0) {
      const { results, endsTurn } = yield* answerCalls(calls, deps, signal);
      // What nobody would read any more in this turn stays where it is: it starts the next one.
      const arrivals = endsTurn || stopped() ? [] : deps.arrivals.take();
      const content = [...results, ...arrivals.map(({ text }) => textBlock(text))];
      yield { type: 'results', message: await addUser(history, content, deps, arrivals) };
      if (endsTurn) return end({ reason: 'waits-for-plan' });
      continue;
    }
    switch (message.stop_reason) {
      case 'max_tokens':
        if (continuations++ >= MAX_CONTINUATIONS)
          return end({
            reason: 'failed',
            error: new ModelError('invalid', `The answer ran into the output limit ${continuations} times.`),
          });
        yield { type: 'prompt', message: await addUser(history, [textBlock(CONTINUE)], deps) };
        continue;
      case 'pause_turn':
        continue;
      case 'refusal':
        return end({
          reason: 'failed',
          error: new ModelError('invalid', 'The model refused to answer (stop_reason refusal).'),
        });
      case 'model_context_window_exceeded':
        return end({
          reason: 'failed',
          error: new ModelError('prompt-too-long', 'The conversation no longer fits the context window of the model.'),
        });
      default:
        return end({ reason: 'done' });
    }
  }
}

async function* ask(
  history: readonly MessageParam[],
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, ModelReply> {
  const { model, system, tools, effort, userId } = deps;
  const request = {
    model,
    system,
    messages: history,
    tools: tools.map(({ schema }) => schema),
    userId,
    ...(effort && { effort }),
  };
  return yield* deps.client.stream(request, signal);
}

/** Ends in the middle of an answer: the last call has half an input and must not run. */
const CUT: readonly (string | null)[] = ['max_tokens', 'refusal', 'model_context_window_exceeded'];

/** Without calls that were cut, and without blank texts, which models write and the API does not take back. */
function fitToSendBack(message: AssistantMessage): AssistantMessage {
  const isCut = CUT.includes(message.stop_reason);
  const content = message.content.filter(
    (block) => !(block.type === 'tool_use' && isCut) && !(block.type === 'text' && block.text.trim() === ''),
  );
  return { ...message, content };
}

async function addUser(
  history: MessageParam[],
  content: ContentBlockParam[],
  deps: LoopDeps,
  arrivals: readonly Arrival[] = [],
): Promise<MessageParam> {
  const message: MessageParam = { role: 'user', content };
  history.push(message);
  await deps.transcript.append(
    'user',
    message,
    arrivals.flatMap(({ mail }) => mail),
  );
  if (arrivals.length > 0) await deps.delivered(arrivals);
  return message;
}

function textBlock(text: string): TextBlockParam {
  return { type: 'text', text };
}
