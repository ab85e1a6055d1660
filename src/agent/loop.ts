import type {
  AssistantMessage,
  ContentBlockParam,
  Effort,
  MessageParam,
  ModelClient,
  ModelReply,
  ModelRequest,
  TextBlockParam,
  ToolUseBlock,
} from '../model/types.js';
import { ModelError } from '../model/types.js';
import { messageOf } from '../util/errors.js';
import type { Arrival, Arrivals } from './arrivals.js';
import { DeniedError } from './autoMode.js';
import { answerCalls, type CallDeps, NOT_RUN } from './calls/toolCalls.js';
import { type Compaction, summarise } from './compaction.js';
import type { AgentEvent, CompactionTrigger, TurnEnd } from './events.js';
import { createLoopDetector } from './loopDetection.js';
import { placeholderResults } from './pairs.js';
import type { TranscriptPort } from './ports.js';
import { finalText } from './result.js';

/** How often an answer that ran into the output limit is taken up again. */
const MAX_CONTINUATIONS = 3;
const CONTINUE = 'Your answer was cut off by the output limit. Go on exactly where it stopped, in smaller steps.';

export interface LoopDeps extends CallDeps {
  readonly client: ModelClient;
  readonly model: string;
  readonly system: readonly string[];
  readonly effort?: Effort;
  readonly thinking?: 'off';
  readonly userId: string;
  readonly transcript: TranscriptPort;
  readonly arrivals: Arrivals;
  /** Called with each arrival once it is in the transcript. */
  readonly delivered: (arrivals: readonly Arrival[]) => Promise<void>;
  /** Said again at the end of every user message. */
  readonly reminder?: string;
  /** Shortens a conversation that no longer fits; without it such a turn fails. */
  readonly compaction?: Compaction;
  /** Told of each request before it is sent: what is begun on the same prefix is cheap. */
  readonly publish?: (request: ModelRequest) => void;
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
  const said: MessageParam[] = [];
  const end = (
    rest: { reason: Exclude<TurnEnd['reason'], 'failed'>; stoppedBy?: 'hook' } | { reason: 'failed'; error: Error },
  ): TurnEnd => ({ ...rest, text: finalText(said) });
  const failed = (error: unknown) =>
    end({ reason: 'failed', error: error instanceof Error ? error : new Error(messageOf(error)) });
  const stopped = () => signal.aborted || deps.drain.aborted;
  const streaming = AbortSignal.any([signal, deps.drain]);
  const loops = createLoopDetector();
  let continuations = 0;
  // A summary that does not make room for one answer makes none at all.
  let isFresh = false;

  async function* shorten(trigger: CompactionTrigger): AsyncGenerator<AgentEvent, TurnEnd | undefined> {
    const blocked = await deps.hooks?.beforeCompaction(trigger, streaming);
    if (blocked !== undefined)
      return trigger === 'auto'
        ? undefined
        : failed(new ModelError('prompt-too-long', `${FULL} A hook keeps it: ${blocked}`));
    try {
      yield* compact(history, trigger, deps, streaming);
      isFresh = true;
      return undefined;
    } catch (error) {
      return stopped() ? end({ reason: 'aborted' }) : failed(error);
    }
  }

  if (stopped()) return end({ reason: 'aborted' });
  const waiting = deps.arrivals.take();
  yield {
    type: 'prompt',
    message: await addUser(history, [...prompt, ...waiting.map(({ text }) => textBlock(text))], deps, waiting),
  };
  for (;;) {
    if (stopped()) return end({ reason: 'aborted' });
    if (deps.turnsLeft() <= 0) return end({ reason: 'max-turns' });
    if (!isFresh && deps.compaction?.isDue(requestFor(history, deps))) {
      const problem = yield* shorten('auto');
      if (problem) return problem;
    }

    let reply: ModelReply;
    try {
      const request = requestFor(history, deps);
      deps.publish?.(request);
      reply = yield* deps.client.stream(request, streaming);
    } catch (error) {
      if (stopped()) return end({ reason: 'aborted' });
      if (!deps.compaction || isFresh || !isTooLong(error)) return failed(error);
      const problem = yield* shorten('prompt-too-long');
      if (problem) return problem;
      continue;
    }
    isFresh = false;

    const message = fitToSendBack(reply.message);
    if (message.content.length > 0) {
      const answer: MessageParam = { role: 'assistant', content: message.content };
      history.push(answer);
      said.push(answer);
      await deps.transcript.append('assistant', answer);
    }
    deps.compaction?.measured(reply.usage, history);
    yield { type: 'assistant', message, usage: reply.usage, costUsd: reply.costUsd, durationMs: reply.durationMs };

    const calls = message.content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
    if (calls.length > 0) {
      const verdict = loops.step(calls);
      if (verdict.kind === 'stopped') {
        yield { type: 'results', message: await addUser(history, notRun(history), deps) };
        return failed(new ModelError('invalid', `The agent was stopped. ${verdict.because}`));
      }
      const { results, endsTurn, stopped: isOver, endedBy } = yield* answerCalls(calls, deps, signal);
      // What nobody would read any more in this turn stays where it is: it starts the next one.
      const arrivals = endsTurn || isOver || endedBy !== undefined || stopped() ? [] : deps.arrivals.take();
      const told = verdict.kind === 'told' ? [textBlock(verdict.text)] : [];
      const content = [...results, ...told, ...arrivals.map(({ text }) => textBlock(text))];
      yield { type: 'results', message: await addUser(history, content, deps, arrivals) };
      if (endedBy !== undefined) return failed(new DeniedError(endedBy));
      if (endsTurn) return end({ reason: 'waits-for-plan' });
      if (isOver) return end({ reason: 'done', stoppedBy: 'hook' });
      continue;
    }
    switch (message.stop_reason) {
      case 'max_tokens':
        if (continuations++ >= MAX_CONTINUATIONS)
          return failed(new ModelError('invalid', `The answer ran into the output limit ${continuations} times.`));
        yield { type: 'prompt', message: await addUser(history, [textBlock(CONTINUE)], deps) };
        continue;
      case 'pause_turn':
        continue;
      case 'refusal':
        return failed(new ModelError('invalid', 'The model refused to answer (stop_reason refusal).'));
      case 'model_context_window_exceeded': {
        if (!deps.compaction || continuations++ >= MAX_CONTINUATIONS)
          return failed(new ModelError('prompt-too-long', FULL));
        const problem = yield* shorten('prompt-too-long');
        if (problem) return problem;
        yield { type: 'prompt', message: await addUser(history, [textBlock(CONTINUE)], deps) };
        continue;
      }
      default:
        return end({ reason: 'done' });
    }
  }
}

const FULL = 'The conversation no longer fits the context window of the model.';

function requestFor(history: readonly MessageParam[], deps: LoopDeps): ModelRequest {
  const { model, system, tools, effort, thinking, userId } = deps;
  return {
    model,
    system,
    messages: history,
    tools: tools.flatMap(({ schema, deferred }) => (deferred ? [] : [schema])),
    userId,
    ...(effort && { effort }),
    ...(thinking && { thinking }),
  };
}

/** Replaces what is older in `history` by a summary, in memory and in the transcript. @throws ModelError */
async function* compact(
  history: MessageParam[],
  trigger: CompactionTrigger,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  const { compaction, client, transcript } = deps;
  if (!compaction) return;
  const { preTokens, reply, summary, tail } = yield* summarise(client, requestFor(history, deps), compaction, signal);
  const renewed = [userMessage(summary, deps), ...tail];
  await transcript.restart(renewed, { trigger, preTokens });
  history.splice(0, history.length, ...renewed);
  compaction.forget();
  const { message, usage, costUsd, durationMs } = reply;
  yield { type: 'compacted', trigger, preTokens, message, usage, costUsd, durationMs };
}

const isTooLong = (error: unknown) => error instanceof ModelError && error.failure === 'prompt-too-long';

function notRun(history: readonly MessageParam[]): ContentBlockParam[] {
  return placeholderResults(history.at(-1), NOT_RUN).map((result) => ({ ...result, is_error: true }));
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
  content: readonly ContentBlockParam[],
  deps: LoopDeps,
  arrivals: readonly Arrival[] = [],
): Promise<MessageParam> {
  const message = userMessage(content, deps);
  history.push(message);
  await deps.transcript.append(
    'user',
    message,
    arrivals.flatMap(({ mail }) => mail),
  );
  if (arrivals.length > 0) await deps.delivered(arrivals);
  return message;
}

function userMessage(content: readonly ContentBlockParam[], { reminder }: LoopDeps): MessageParam {
  const said = reminder ? [textBlock(`<system-reminder>\n${reminder}\n</system-reminder>`)] : [];
  return { role: 'user', content: [...content, ...said] };
}

function textBlock(text: string): TextBlockParam {
  return { type: 'text', text };
}
