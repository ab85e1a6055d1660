import {
  type ContentBlockParam,
  type MessageParam,
  type ModelClient,
  ModelError,
  type ModelReply,
  type ModelRequest,
  type Usage,
} from '../model/types.js';
import { head } from '../util/text.js';
import type { AgentEvent } from './events.js';
import { blocksOf, hasResults } from './pairs.js';

/** Part of the window at which older messages are replaced by a summary. */
const FULL = 0.9;
/** Part of the window that the newest messages, which are kept as they are, may have. */
const TAIL = 0.2;
const SUMMARY_TOKENS = 20_000;
const CHARACTERS_PER_TOKEN = 4;
/** To how many characters each text and result is cut when what is to be summarised is itself too long. */
const CUTS = [undefined, 4000, 400] as const;

export interface CompactionDeps {
  /** Tokens that the model can see at once. */
  readonly contextWindow: number;
  /** What must not depend on a summary, told again from disk: the team, its open tasks, the plan. Empty when there is nothing. */
  readonly reminders?: () => Promise<string>;
}

/** What is known of how full the window is. One for each agent, for all its turns. */
export interface Compaction extends CompactionDeps {
  /** To be told of each response once it is in the history. */
  measured(usage: Usage, history: readonly MessageParam[]): void;
  /** Tokens of the next request: what the last response had, and an estimate of what came since. */
  tokensOf(request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): number;
  isDue(request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): boolean;
  /** What was measured does not count for a history that begins anew. */
  forget(): void;
}

export function createCompaction(deps: CompactionDeps): Compaction {
  let known: { readonly tokens: number; readonly newest: MessageParam } | undefined;
  const tokensOf: Compaction['tokensOf'] = ({ system, tools, messages }) => {
    const seen = known ? messages.lastIndexOf(known.newest) : -1;
    if (known && seen >= 0) return known.tokens + estimate(messages.slice(seen + 1));
    return estimate([system, tools, messages]);
  };
  return {
    ...deps,
    measured({ input, output, cacheRead, cacheWrite }, history) {
      const newest = history.at(-1);
      if (newest) known = { tokens: input + output + cacheRead + cacheWrite, newest };
    },
    forget() {
      known = undefined;
    },
    tokensOf,
    isDue: (request) => tokensOf(request) >= deps.contextWindow * FULL,
  };
}

function estimate(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
}

export interface Summarised {
  /** What stands in place of the older messages. */
  readonly summary: readonly ContentBlockParam[];
  /** The newest messages, as they are. */
  readonly tail: readonly MessageParam[];
  readonly reply: ModelReply;
  readonly preTokens: number;
}

/**
 * Asks the model for a summary of the older part of a conversation, on the prefix that is cached. Calls and their
 * results stay together. Tells of retries only. @throws ModelError that says why it could not be done.
 */
export async function* summarise(
  client: ModelClient,
  request: ModelRequest,
  compaction: Compaction,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Summarised> {
  const history = request.messages;
  const preTokens = compaction.tokensOf(request);
  const cut = tailStart(history, Math.min(compaction.contextWindow, preTokens) * TAIL);
  const older = history.slice(0, cut);
  for (const [index, cutTo] of CUTS.entries()) {
    const messages: MessageParam[] = [
      ...(cutTo === undefined ? older : older.map((message) => shortened(message, cutTo))),
      { role: 'user', content: [{ type: 'text', text: INSTRUCTION }] },
    ];
    try {
      const asked = { ...request, messages, maxTokens: SUMMARY_TOKENS };
      const reply = yield* withoutTexts(client.stream(asked, signal));
      const words = summaryIn(reply);
      const reminders = (await compaction.reminders?.()) ?? '';
      const summary: ContentBlockParam[] = [`${SUMMARY}\n${words}\n</conversation-summary>`, reminders]
        .filter((text) => text.trim() !== '')
        .map((text) => ({ type: 'text', text }));
      return { summary, tail: history.slice(cut), reply, preTokens };
    } catch (error) {
      const isLast = index === CUTS.length - 1;
      if (!(error instanceof ModelError) || signal.aborted) throw error;
      const mayHelp = error.failure === 'prompt-too-long' || error instanceof NoSummary;
      if (!mayHelp || isLast) throw notDone(error, preTokens, compaction.contextWindow);
    }
  }
  throw new Error('unreachable: the last cut returns or throws');
}

/** Where the part begins that is kept whole: the earliest place that fits and does not part calls from their results. */
export function tailStart(history: readonly MessageParam[], tokens: number): number {
  let start = history.length;
  let size = 0;
  for (let index = history.length - 1; index > 0; index--) {
    const message = history[index];
    if (message === undefined) break;
    size += estimate(message);
    if (size > tokens) break;
    if (!hasResults(message)) start = index;
  }
  return start;
}

async function* withoutTexts(stream: ReturnType<ModelClient['stream']>): AsyncGenerator<AgentEvent, ModelReply> {
  let reply: ModelReply | undefined;
  async function* whole() {
    reply = yield* stream;
  }
  for await (const event of whole()) if (event.type !== 'text') yield event;
  if (!reply) throw new Error('unreachable: a stream that ends has a reply');
  return reply;
}

function summaryIn({ message }: ModelReply): string {
  const text = message.content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('')
    .trim();
  if (message.stop_reason === 'refusal') throw new ModelError('invalid', 'the model refused (stop_reason refusal)');
  if (text === '') throw new NoSummary('invalid', `the model wrote no summary (stop_reason ${message.stop_reason})`);
  return text;
}

/** A model in the middle of its work may call a tool instead: it is asked once more. */
class NoSummary extends ModelError {}

function notDone(error: ModelError, tokens: number, window: number): ModelError {
  return new ModelError(
    error.failure,
    `The conversation (about ${tokens} tokens of ${window}) could not be replaced by a summary: ${error.message}`,
    error.status,
    { cause: error },
  );
}

function shortened(message: MessageParam, max: number): MessageParam {
  if (message.role === 'system') return message;
  const clip = (text: string) => (text.length <= max ? text : `${head(text, max)} [cut]`);
  const content = blocksOf(message).map((block): ContentBlockParam => {
    switch (block.type) {
      case 'text':
        return { type: 'text', text: clip(block.text) };
      case 'tool_result': {
        const { cache_control: _, content: result = '', ...rest } = block;
        const texts =
          typeof result === 'string'
            ? result
            : result.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
        return { ...rest, content: clip(texts) || '[empty]' };
      }
      case 'tool_use': {
        const input = JSON.stringify(block.input);
        return input.length <= max ? block : { ...block, input: { cut: head(input, max) } };
      }
      case 'image':
      case 'document':
        return { type: 'text', text: `[${block.type}]` };
      default:
        return block;
    }
  });
  return { ...message, content };
}

const SUMMARY = `<conversation-summary>
This conversation went on for longer than can be seen at once. What came before is summed up here, by you; what came last follows as it was.`;

const INSTRUCTION = `The conversation has become too long and will go on from a summary. Write that summary now, as plain text, and call no tool. Whoever reads it knows nothing else of what was said up to here, so keep:
1. What was asked for, in the words in which it was asked, and every wish, limit and correction since.
2. What was found out: files with their paths and line numbers, commands, facts, decisions and their reasons.
3. What was done and what came out of it, commits and tests included.
4. What went wrong, and what was done about it.
5. What is in hand at this moment, what is open, and the next step.
6. Who else is at work, who waits for whom, and what was promised to whom.
Leave out what no longer matters.`;
