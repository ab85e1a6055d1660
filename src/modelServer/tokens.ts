import { blocksOf, type CacheControl, type CountRequest } from './check/request.js';

const BYTES_PER_TOKEN = 4;
/** The same for text in which a character is a byte. */
export const CHARACTERS_PER_TOKEN = BYTES_PER_TOKEN;

/** A stable estimate: one token for every four bytes of UTF-8, rounded up. A real tokenizer is near that for English and code. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** One piece of a prompt, in the order in which the API reads it: tools, system, messages. */
export interface Segment {
  readonly part: 'tools' | 'system' | 'messages';
  /** What is counted and compared, cache marks left out. */
  readonly json: string;
  readonly tokens: number;
  /** Where it is one: how long the prefix up to here is to be kept. */
  readonly breakpoint?: '5m' | '1h';
  /** As the API names it in errors. */
  readonly path: string;
}

export function segmentsOf({ tools, system, messages, cache_control: automatic }: CountRequest): Segment[] {
  const segments = [
    ...(tools ?? []).map((tool, index) => segment('tools', `tools.${index}`, tool)),
    ...blocksOf(system).map((block, index) => segment('system', `system.${index}`, block)),
    ...messages.flatMap(({ role, content }, at) =>
      blocksOf(content).map((block, index) => segment('messages', `messages.${at}.content.${index}`, block, role)),
    ),
  ];
  const last = segments.at(-1);
  if (automatic && last && last.breakpoint === undefined)
    segments[segments.length - 1] = { ...last, breakpoint: automatic.ttl ?? '5m' };
  return segments;
}

export function promptTokens(segments: readonly Segment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0);
}

interface Marked {
  readonly cache_control?: CacheControl | null | undefined;
  readonly [field: string]: unknown;
}

function segment(part: Segment['part'], path: string, { cache_control: mark, ...rest }: Marked, role = ''): Segment {
  const json = role + JSON.stringify(rest);
  return { part, path, json, tokens: tokensOf(json), ...(mark && { breakpoint: mark.ttl ?? '5m' }) };
}
