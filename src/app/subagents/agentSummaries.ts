import type { Task } from '../../agent/background/background.js';
import type { AgentEvent } from '../../agent/events.js';
import type { AgentRun } from '../../agent/runAgent.js';
import type { Clock } from '../../host/clock.js';
import type { MessageParam, ModelClient, ModelReply, ModelRequest } from '../../model/types.js';
import { oneLine } from '../../util/text.js';

const EVERY_MS = 30_000;
const MAX_TOKENS = 200;
const QUESTION =
  'Not part of your task, and not to be answered with a tool: in one line of at most fifteen words, what are you doing just now?';

export interface SummaryDeps {
  readonly clock: Clock;
  readonly client: ModelClient;
  /** The agent's last request: the question is asked on its very prefix, which is in the prompt cache. */
  readonly lastRequest: () => ModelRequest | undefined;
  readonly tell: (summary: string) => void;
  readonly spent: (reply: ModelReply) => Promise<void>;
}

/** Follows what an agent asks its model; `beside` keeps its task's summary. */
export function withSummaries(
  run: AgentRun,
  task: Task,
  {
    clock,
    client,
    spent,
  }: Pick<SummaryDeps, 'clock' | 'client'> & {
    readonly spent: (response: Extract<AgentEvent, { type: 'assistant' }>) => Promise<void>;
  },
): { readonly run: AgentRun; readonly beside: (signal: AbortSignal) => Promise<void> } {
  let lastRequest: ModelRequest | undefined;
  const publish = (request: ModelRequest) => {
    lastRequest = request;
    run.publish?.(request);
  };
  const deps: SummaryDeps = {
    clock,
    client,
    lastRequest: () => lastRequest,
    tell: (summary) => task.advance({ ...task.record().progress, summary }),
    spent: (reply) => spent({ type: 'assistant', ...reply }),
  };
  return { run: { ...run, publish }, beside: (signal) => summarise(deps, signal) };
}

/**
 * Every 30 s one line on what an agent is at, until aborted. A question that fails is left out: this is never in the
 * agent's way.
 */
export async function summarise({ clock, client, lastRequest, tell, spent }: SummaryDeps, signal: AbortSignal) {
  let asked = 0;
  for (;;) {
    await clock.sleep(EVERY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    const request = lastRequest();
    const messages = request && withQuestion(request.messages);
    if (!request || !messages || messages.length === asked) continue;
    asked = messages.length;
    try {
      const reply = await replyTo(client, { ...request, messages, maxTokens: MAX_TOKENS }, signal);
      await spent(reply);
      const text = reply.message.content.map((block) => (block.type === 'text' ? block.text : '')).join(' ');
      if (text.trim() !== '' && !signal.aborted) tell(oneLine(text, 160));
    } catch {
      // The next one may come through.
    }
  }
}

/** The question behind the newest message of the user: a call that still runs has no result yet. */
function withQuestion(history: readonly MessageParam[]): MessageParam[] | undefined {
  const newest = history.findLastIndex(({ role }) => role === 'user');
  const message = history[newest];
  if (!message) return undefined;
  const { content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return [...history.slice(0, newest), { role: 'user', content: [...blocks, { type: 'text', text: QUESTION }] }];
}

async function replyTo(client: ModelClient, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
  const stream = client.stream(request, signal);
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return value;
  }
}
