import { createHash } from 'node:crypto';
import { modelFacts } from '../model/catalogue.js';
import type { CountRequest } from './check/request.js';
import { promptTokens, type Segment, segmentsOf } from './tokens.js';

/** Input tokens of one request, by what they cost. */
export interface InputUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
}

export interface PromptCache {
  /** What this prompt costs now. `keep` stores its prefixes: to be called when the answer begins, not earlier. */
  account(request: CountRequest, key: string, now: number): { usage: InputUsage; keep(): void };
}

const LIFETIME_MS = { '5m': 5 * 60_000, '1h': 60 * 60_000 };
/** How many blocks before a breakpoint, itself included, are compared with what is kept. */
const LOOK_BACK = 20;

interface Entry {
  expires: number;
  readonly lifetime: number;
}

/** The API's prompt cache: exact prefixes, kept per API key and model. Source: the prompt-caching page of the API's documentation. */
export function createPromptCache(): PromptCache {
  const entries = new Map<string, Entry>();
  return {
    account(request, key, now) {
      const segments = segmentsOf(request);
      const prefixes = prefixesOf(segments, request, key);
      const marked = segments.flatMap(({ breakpoint }, index) => (breakpoint ? [{ index, ttl: breakpoint }] : []));
      const isKept = (index: number) => (entries.get(prefixes[index]?.hash ?? '')?.expires ?? 0) > now;
      const tokensUpTo = (index: number) => prefixes[index]?.tokens ?? 0;
      const minimum = modelFacts(request.model).cacheMinimum;

      let hit = -1;
      for (const { index } of marked) {
        for (let at = index; at > index - LOOK_BACK && at > hit; at--) if (isKept(at)) hit = at;
      }
      const created = { '5m': 0, '1h': 0 };
      let done = tokensUpTo(hit);
      const read = done;
      const written: { hash: string; ttl: '5m' | '1h' }[] = [];
      for (const { index, ttl } of marked) {
        const prefix = prefixes[index];
        if (index <= hit || prefix === undefined || prefix.tokens < minimum) continue;
        created[ttl] += prefix.tokens - done;
        done = prefix.tokens;
        written.push({ hash: prefix.hash, ttl });
      }
      return {
        usage: {
          input_tokens: promptTokens(segments) - done,
          cache_read_input_tokens: read,
          cache_creation_input_tokens: created['5m'] + created['1h'],
          cache_creation: { ephemeral_5m_input_tokens: created['5m'], ephemeral_1h_input_tokens: created['1h'] },
        },
        keep() {
          const used = entries.get(prefixes[hit]?.hash ?? '');
          if (used) used.expires = now + used.lifetime;
          for (const { hash, ttl } of written)
            entries.set(hash, { expires: now + LIFETIME_MS[ttl], lifetime: LIFETIME_MS[ttl] });
        },
      };
    },
  };
}

/** For every segment, the hash and size of all up to it. What invalidates only the messages is mixed in where they begin. */
function prefixesOf(
  segments: readonly Segment[],
  request: CountRequest,
  key: string,
): { hash: string; tokens: number }[] {
  const { model, tool_choice, thinking, output_config } = request;
  let hash = digest(key, model);
  let tokens = 0;
  let inMessages = false;
  return segments.map((segment) => {
    if (segment.part === 'messages' && !inMessages) {
      inMessages = true;
      hash = digest(hash, JSON.stringify({ tool_choice, thinking, effort: output_config?.effort }));
    }
    hash = digest(hash, segment.part + segment.json);
    tokens += segment.tokens;
    return { hash, tokens };
  });
}

function digest(before: string, text: string): string {
  return createHash('sha256').update(before).update('\0').update(text).digest('base64');
}
