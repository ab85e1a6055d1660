import * as z from 'zod/mini';
import { createArrivals } from '../../src/agent/arrivals.js';
import type { AgentEvent, TurnEnd } from '../../src/agent/events.js';
import { type LoopDeps, runTurn } from '../../src/agent/loop.js';
import { defineTool, type Tool, type ToolOutput, type ToolSpec } from '../../src/agent/tool.js';
import type {
  AssistantMessage,
  ContentBlock,
  MessageParam,
  ModelClient,
  ModelRequest,
  StopReason,
} from '../../src/model/types.js';
import { problemIn } from '../../src/modelServer/check/check.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';

export const MODEL = 'claude-opus-5-5';

export interface Reply {
  readonly text?: string;
  /** Names of tools, or a tool with its input. */
  readonly calls?: readonly (string | { readonly name: string; readonly input: object })[];
  readonly stop?: StopReason;
  readonly fails?: Error;
  /** Tokens that the request is said to have had. */
  readonly input?: number;
  /** Waits here until the request is aborted. */
  readonly hangs?: boolean;
}

export interface FakeModel extends ModelClient {
  readonly requests: ModelRequest[];
}

let ids = 0;

/** A model that answers from a list, and refuses as the API does what the strict checker refuses. */
export function fakeModel(replies: readonly Reply[]): FakeModel {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request, signal) {
      const reply = replies[requests.length] ?? { text: 'done' };
      requests.push({ ...request, messages: structuredClone([...request.messages]) });
      const { model, messages, tools } = request;
      const problem = problemIn({ model, max_tokens: 1000, messages, tools });
      if (problem) throw new Error(`refused: ${JSON.stringify(problem)}`);
      if (reply.hangs) await new Promise((_, reject) => onAbort(signal, () => reject(signal.reason)));
      signal.throwIfAborted();
      if (reply.fails) throw reply.fails;
      if (reply.text) yield { type: 'text', text: reply.text };
      const usage = { input: reply.input ?? 1, output: 1, cacheRead: 0, cacheWrite: 0 };
      return { message: messageOf(reply), usage, costUsd: 0.5, durationMs: 1 };
    },
  };
}

export function onAbort(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener('abort', then, { once: true });
}

function messageOf({ text, calls = [], stop }: Reply): AssistantMessage {
  const uses = calls.map((call) => (typeof call === 'string' ? { name: call, input: {} } : call));
  const content = [
    ...(text === undefined ? [] : [{ type: 'text', text, citations: null }]),
    ...uses.map((use) => ({ type: 'tool_use', id: `toolu_${++ids}`, caller: { type: 'direct' }, ...use })),
  ] as ContentBlock[];
  const stop_reason = stop ?? (uses.length > 0 ? 'tool_use' : 'end_turn');
  return {
    id: `msg_${++ids}`,
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content,
    stop_reason,
  } as AssistantMessage;
}

export function tool(
  name: string,
  call: (context: Parameters<ToolSpec<object>['call']>[1]) => Promise<ToolOutput | string>,
  more: Partial<ToolSpec<object>> = {},
): Tool {
  return defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    isReadOnly: false,
    access: () => ({ kind: 'none' }),
    call: (_, context) => call(context),
    ...more,
  });
}

/** One agent with a fake model and tools of the test's own; everything is allowed unless the test says otherwise. */
export function bench(replies: readonly Reply[], tools: readonly Tool[] = [], given: Partial<LoopDeps> = {}) {
  const client = fakeModel(replies);
  const history: MessageParam[] = [];
  const transcript: { type: string; message: MessageParam; mail: readonly string[] }[] = [];
  const restarts: { history: readonly MessageParam[]; about: object }[] = [];
  const delivered: string[] = [];
  const arrivals = createArrivals();
  const events: AgentEvent[] = [];
  const turn = new AbortController();
  const drain = new AbortController();
  const deps: LoopDeps = {
    client,
    model: MODEL,
    system: ['You are a test.'],
    userId: 'troupe:red:bob',
    tools,
    gate: { decide: async () => ({ allow: true }) },
    state: { cwd: '/', mode: 'default' },
    readLedger: createReadLedger(),
    transcript: {
      append: async (type, message, mail = []) => void transcript.push({ type, message, mail }),
      restart: async (history, about) => void restarts.push({ history: structuredClone(history), about }),
    },
    arrivals,
    delivered: async (taken) => void delivered.push(...taken.flatMap(({ mail }) => mail)),
    turnsLeft: () => Number.POSITIVE_INFINITY,
    drain: drain.signal,
    ...given,
  };
  return {
    client,
    history,
    transcript,
    restarts,
    delivered,
    arrivals,
    events,
    turn,
    drain,
    deps,
    say: (text: string, from: 'shutdown' | 'lead' | 'other' = 'other') =>
      arrivals.add({ text, from, mail: [`id of ${text}`], wakes: true }),
    async run(prompt = 'go', signal: AbortSignal = turn.signal): Promise<TurnEnd> {
      const running = runTurn(history, [{ type: 'text', text: prompt }], deps, signal);
      for (;;) {
        const { done, value } = await running.next();
        if (done) return value;
        events.push(value);
      }
    },
    /** The blocks of the last message of the n-th request, each in short. */
    told: (request: number) => shortOf(client.requests[request]?.messages.at(-1)),
  };
}

export function shortOf(message: MessageParam | undefined): string[] {
  if (!message) return [];
  if (typeof message.content === 'string') return [message.content];
  return message.content.map((block) => {
    if (block.type === 'text') return block.text;
    if (block.type === 'tool_result') return `${block.is_error ? 'error' : 'result'}: ${String(block.content)}`;
    return block.type;
  });
}
