import * as z from 'zod/mini';
import type { TranscriptEntry } from '../../transcript/entry.js';
import { oneLine } from '../../util/text.js';
import { keepFirstAndLast } from './firstAndLast.js';
import { type Clipped, clip, type Span, type Talk, type TaskChange, type ToolCall } from './story.js';

const MAX_INPUT = 500;
const MAX_RESULT = 700;
const MAX_ABOUT = 110;
const MAX_WORDS = 8000;

const Block = z.looseObject({ type: z.string() });
const Spoken = z.object({ content: z.union([z.string(), z.array(Block)]) });
const Use = z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() });
const Result = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  is_error: z.optional(z.boolean()),
  content: z.optional(z.union([z.string(), z.array(Block)])),
});
const Change = z.object({ taskId: z.string(), statusChange: z.object({ to: z.string() }) });
type Block = z.infer<typeof Block>;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface TalkReader {
  /** False for a line that says nothing a page could tell. */
  hear(entry: TranscriptEntry): boolean;
  talk(): Talk;
}

/** Reads a transcript line by line and keeps what a page shows of it, at most `maxCalls` calls. */
export function readTalk({
  maxCalls,
  denied,
}: {
  readonly maxCalls: number;
  /** Ids of the calls that were not allowed. */
  readonly denied: ReadonlySet<string>;
}): TalkReader {
  const turns: Mutable<Span>[] = [];
  const first = Math.ceil(maxCalls / 4);
  const calls = keepFirstAndLast<ToolCall>(first, maxCalls - first);
  const open = new Map<string, Mutable<ToolCall>>();
  const taskChanges: TaskChange[] = [];
  let failed = 0;
  let isOpen = false;
  let lastWords: Clipped | undefined;

  const atWork = (at: number, begins: boolean) => {
    const last = turns.at(-1);
    if (last && !begins) last.to = Math.max(last.to, at);
    else turns.push({ from: at, to: at });
  };

  const ask = (at: number, { id, name, input }: z.infer<typeof Use>) => {
    const call: Mutable<ToolCall> = {
      name,
      at,
      about: aboutOf(input),
      input: clip(inputText(input), MAX_INPUT),
      outcome: denied.has(id) ? 'denied' : 'open',
    };
    open.set(id, call);
    calls.push(call);
  };

  const answer = (at: number, { tool_use_id: id, is_error, content = '' }: z.infer<typeof Result>) => {
    const call = open.get(id);
    if (!call) return;
    open.delete(id);
    const text = typeof content === 'string' ? content : content.map(blockText).join('\n');
    call.result = clip(text, MAX_RESULT);
    call.ms = Math.max(0, at - call.at);
    if (call.outcome !== 'denied') call.outcome = is_error ? 'failed' : 'ok';
    if (call.outcome === 'failed') failed++;
    const change = call.name === 'TaskUpdate' && !is_error ? changeIn(text) : undefined;
    if (change) taskChanges.push({ task: change.taskId, at, status: change.statusChange.to });
  };

  return {
    hear({ type, timestamp, message }) {
      const at = Date.parse(timestamp);
      if (type !== 'user' && type !== 'assistant') return true;
      const spoken = Spoken.safeParse(message);
      if (Number.isNaN(at) || !spoken.success) return false;
      const { content } = spoken.data;
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      atWork(at, type === 'user' && !isOpen);
      isOpen = true;
      for (const block of blocks) {
        const use = type === 'assistant' ? Use.safeParse(block) : undefined;
        if (use?.success) ask(at, use.data);
        const result = type === 'user' ? Result.safeParse(block) : undefined;
        if (result?.success) answer(at, result.data);
      }
      if (type === 'assistant' && blocks.every((block) => block.type !== 'tool_use')) {
        isOpen = false;
        const words = blocks.filter((block) => block.type === 'text').map(blockText);
        if (words.length > 0) lastWords = clip(words.join('\n'), MAX_WORDS);
      }
      return true;
    },
    talk: () => ({ turns, calls: calls.kept(), failed, taskChanges, lastWords }),
  };
}

/** Fields that say most of a call, the first one that is there. */
const TELLING = 'command file_path notebook_path pattern url query subject to taskId description plan prompt'.split(
  ' ',
);

/** What of a call's input says most, in one line. */
export function aboutOf(input: unknown): string {
  const fields = typeof input === 'object' && input !== null ? new Map(Object.entries(input)) : new Map();
  const told = TELLING.map((name) => fields.get(name)).find((value) => typeof value === 'string' && value !== '');
  return oneLine(String(told ?? (fields.size === 0 ? '' : JSON.stringify(input))).slice(0, 10 * MAX_ABOUT), MAX_ABOUT);
}

function inputText(input: unknown): string {
  return JSON.stringify(input, null, 2) ?? '';
}

function blockText(block: Block): string {
  return typeof block['text'] === 'string' ? block['text'] : `[${block.type}]`;
}

function changeIn(text: string): z.infer<typeof Change> | undefined {
  try {
    return Change.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
