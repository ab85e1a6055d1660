import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { parseJson } from '../../store/jsonFile.js';
import { messageOf, UserError } from '../../util/errors.js';

/** One line of a recording: what was asked and, byte for byte, what was answered. Without keys. */
export const Recorded = z.object({
  request: z.object({
    method: z.string(),
    /** With its query. */
    path: z.string(),
    body: z.string(),
  }),
  response: z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    /** The connection was lost before the answer was whole. */
    cut: z.optional(z.boolean()),
  }),
});
export type Recorded = z.infer<typeof Recorded>;

/** @throws UserError that names the file and the line. */
export async function readRecording(file: string): Promise<Recorded[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UserError(`Cannot read the recording ${file}: ${messageOf(error)}`, 2, { cause: error });
  }
  return text
    .split('\n')
    .flatMap((line, index) => (line === '' ? [] : [parseJson(Recorded, line, `${file}:${index + 1}`)]));
}

const KEPT = /^(content-type|request-id|retry-after|x-should-retry|anthropic-ratelimit-.*)$/;

/** Those headers of an answer that mean something to a client. */
export function keptHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => KEPT.test(name)));
}

const REMOVED = '[key removed]';
/** A shorter key is a placeholder, and as a word might stand anywhere. */
const SHORTEST_KEY = 12;

/** A text without the key that came with it, and without what looks like one. */
export function withoutKeys(text: string, key: string): string {
  const bare = key.length < SHORTEST_KEY ? text : text.replaceAll(key, REMOVED);
  return bare.replace(/\bsk-ant-[\w-]{8,}/g, REMOVED);
}

/** A body as JSON; `undefined` when it is none. */
export function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
