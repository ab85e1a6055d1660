import * as z from 'zod/mini';
import type { Clock } from '../../../host/clock.js';
import { ThreadError } from '../../../host/thread.js';
import type { ContentBlockParam } from '../../../model/types.js';
import { ToolError } from '../../../util/errors.js';
import { callLibrary } from '../libraryThread.js';

const LARGEST = 100 * 1024 * 1024;
/** A request may have 32 MB, and base64 makes three bytes four. */
const MOST_SENT = 20 * 1024 * 1024;
const MOST_AT_ONCE = 20;
const MOST_UNASKED = 10;
/** A small file may unpack to gigabytes, which no limit on a thread's heap sees. */
const MOST_UNPACKED = 16 * 1024 * 1024;
const LONGEST_MS = 20_000;

/** The document's pages are counted; those that are wanted are taken out of it, unless they are too many. */
const TAKE_PAGES = `
  const Bytes = Uint8Array;
  let isTooLarge = false;
  globalThis.Uint8Array = new Proxy(Bytes, {
    construct(type, given, made) {
      isTooLarge ||= given[0] > input.mostUnpacked;
      if (isTooLarge) throw new RangeError('TOO LARGE');
      return Reflect.construct(type, given, made);
    },
  });
  const { PDFDocument } = library;
  const data = require('node:fs').readFileSync(input.path);
  const whole = await PDFDocument.load(data, { updateMetadata: false, parseSpeed: Infinity });
  globalThis.Uint8Array = Bytes;
  if (isTooLarge) throw new RangeError('TOO LARGE');
  const count = whole.getPageCount();
  const [first, last] = [input.first, Math.min(input.last, count)];
  const taken = last - first + 1;
  if (taken < 1 || taken > input.most) return { count };
  if (taken === count) return { count, data };
  const part = await PDFDocument.create();
  const indices = Array.from({ length: taken }, (_, index) => first - 1 + index);
  for (const page of await part.copyPages(whole, indices)) part.addPage(page);
  return { count, data: await part.save() };
`;
const Taken = z.object({ count: z.int(), data: z.optional(z.instanceof(Uint8Array)) });

interface Pages {
  /** From 1, both included. */
  readonly first: number;
  readonly last: number;
}

/**
 * Pages of a PDF as a document of their own, which a model reads with their pictures.
 * @param wanted "3" or "1-5"; all of a short document when absent.
 */
export async function readPdf(
  { path, size, wanted }: { readonly path: string; readonly size: number; readonly wanted: string | undefined },
  clock: Clock,
  signal: AbortSignal,
): Promise<ContentBlockParam[]> {
  if (size > LARGEST)
    throw new ToolError(`${path} has ${size} bytes, more than the 100 MiB that are read here. Split it with Bash.`);
  const pages = pagesIn(wanted);
  const most = wanted === undefined ? MOST_UNASKED : MOST_AT_ONCE;
  const { count, data } = await taken({ path, ...pages, most }, clock, signal);
  const last = Math.min(pages.last, count);
  requirePages(path, count, { ...pages, last }, wanted);
  if (data === undefined || data.byteLength > MOST_SENT)
    throw new ToolError(
      `These pages of ${path} have ${data?.byteLength} bytes, too many for once. Ask for fewer pages.`,
    );
  return [
    { type: 'text', text: `Pages ${pages.first}–${last} of ${count} of ${path}:` },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(data).toString('base64') },
    },
  ];
}

async function taken(
  input: Pages & { readonly path: string; readonly most: number },
  clock: Clock,
  signal: AbortSignal,
): Promise<z.infer<typeof Taken>> {
  const { path } = input;
  try {
    const limited = { ...input, mostUnpacked: MOST_UNPACKED };
    const call = { library: 'pdf-lib', body: TAKE_PAGES, input: limited, maxMs: LONGEST_MS } as const;
    const made = await callLibrary(call, clock, signal);
    if (made !== undefined) return Taken.parse(made);
  } catch (error) {
    if (!(error instanceof ThreadError)) throw error;
    throw new ToolError(`${path} cannot be read as a PDF: ${reasonOf(error)}`, { cause: error });
  }
  throw new ToolError(
    `${path} cannot be read as a PDF: that takes longer than ${LONGEST_MS / 1000} s. Try pdftotext with Bash.`,
  );
}

function pagesIn(wanted: string | undefined): Pages {
  if (wanted === undefined) return { first: 1, last: Number.MAX_SAFE_INTEGER };
  const [, from, dash, to] = /^\s*(\d+)\s*(-)?\s*(\d+)?\s*$/.exec(wanted) ?? [];
  const first = Number(from);
  const last = dash === undefined ? first : Number(to ?? Number.MAX_SAFE_INTEGER);
  if (from === undefined || first === 0 || last < first || (dash === undefined && to !== undefined))
    throw new ToolError(`${JSON.stringify(wanted)} names no pages. ${example(MOST_UNASKED)}`);
  return { first, last };
}

const example = (count: number) =>
  `Give pages, for example "1-${Math.min(count, MOST_UNASKED)}", at most ${MOST_AT_ONCE} at once.`;

function requirePages(path: string, count: number, { first, last }: Pages, wanted: string | undefined): void {
  if (count === 0) throw new ToolError(`${path} has no pages.`);
  if (first > count) throw new ToolError(`${path} has ${count} pages; page ${first} is past its end.`);
  if (wanted === undefined && count > MOST_UNASKED)
    throw new ToolError(`${path} has ${count} pages, too many to show unasked. ${example(count)}`);
  if (last - first + 1 > MOST_AT_ONCE) throw new ToolError(`${last - first + 1} pages are too many. ${example(count)}`);
}

function reasonOf({ message }: ThreadError): string {
  if (message === 'TOO LARGE')
    return `something in it unpacks to more than ${MOST_UNPACKED / 1024 / 1024} MiB. Try pdftotext with Bash.`;
  return /encrypted/i.test(message)
    ? 'it is encrypted. Decrypt it with Bash (qpdf --decrypt) first.'
    : `it is broken (${message}). Try pdftotext with Bash.`;
}
