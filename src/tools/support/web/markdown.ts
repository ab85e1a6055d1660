import type { Clock } from '../../../host/clock.js';
import { ThreadError } from '../../../host/thread.js';
import { callLibrary } from '../libraryThread.js';

/** Some nestings cost the library more than the square of their length. */
const LONGEST_MS = 10_000;

/** HTML as Markdown; nothing where that takes too long or too much memory. */
export async function toMarkdown(html: string, clock: Clock, signal: AbortSignal): Promise<string | undefined> {
  const body = 'return library.NodeHtmlMarkdown.translate(input);';
  try {
    const call = { library: 'node-html-markdown', body, input: html, maxMs: LONGEST_MS } as const;
    const made = await callLibrary(call, clock, signal);
    return typeof made === 'string' ? made : undefined;
  } catch (error) {
    if (error instanceof ThreadError) return undefined;
    throw error;
  }
}
