import { readFile } from 'node:fs/promises';
// To be loaded lazily, with the whole of this file: a bundle has no names for what is imported of CommonJS on demand.
import { PDFDocument } from 'pdf-lib';
import type { ContentBlockParam } from '../../model/types.js';
import { messageOf, ToolError } from '../../util/errors.js';

const LARGEST = 100 * 1024 * 1024;
/** A request may have 32 MB, and base64 makes three bytes four. */
const MOST_SENT = 20 * 1024 * 1024;
const MOST_AT_ONCE = 20;
const MOST_UNASKED = 10;

interface Pages {
  /** From 1, both included. */
  readonly first: number;
  readonly last: number;
}

/**
 * Pages of a PDF as a document of their own, which a model reads with their pictures.
 * @param wanted "3" or "1-5"; all of a short document when absent.
 */
export async function readPdf(path: string, size: number, wanted: string | undefined): Promise<ContentBlockParam[]> {
  if (size > LARGEST)
    throw new ToolError(`${path} has ${size} bytes, more than the 100 MiB that are read here. Split it with Bash.`);
  try {
    return await pagesAsDocument(path, wanted);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(`${path} cannot be read as a PDF: ${reasonOf(error)}`, { cause: error });
  }
}

async function pagesAsDocument(path: string, wanted: string | undefined): Promise<ContentBlockParam[]> {
  let data: Uint8Array = await readFile(path);
  const whole = await PDFDocument.load(data, { updateMetadata: false });
  const count = whole.getPageCount();
  const { first, last } = choosePages(path, count, wanted);
  if (last - first + 1 < count) {
    const part = await PDFDocument.create();
    const indices = Array.from({ length: last - first + 1 }, (_, index) => first - 1 + index);
    for (const page of await part.copyPages(whole, indices)) part.addPage(page);
    data = await part.save();
  }
  if (data.byteLength > MOST_SENT)
    throw new ToolError(
      `These pages of ${path} have ${data.byteLength} bytes, too many for once. Ask for fewer pages.`,
    );
  return [
    { type: 'text', text: `Pages ${first}–${last} of ${count} of ${path}:` },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(data).toString('base64') },
    },
  ];
}

function choosePages(path: string, count: number, wanted: string | undefined): Pages {
  const example = `Give pages, for example "1-${Math.min(count, MOST_UNASKED)}", at most ${MOST_AT_ONCE} at once.`;
  if (count === 0) throw new ToolError(`${path} has no pages.`);
  if (wanted === undefined) {
    if (count > MOST_UNASKED) throw new ToolError(`${path} has ${count} pages, too many to show unasked. ${example}`);
    return { first: 1, last: count };
  }
  const [, from, dash, to] = /^\s*(\d+)\s*(-)?\s*(\d+)?\s*$/.exec(wanted) ?? [];
  const first = Number(from);
  const last = Math.min(dash === undefined ? first : Number(to ?? count), count);
  if (from === undefined || first === 0 || (to !== undefined && Number(to) < first))
    throw new ToolError(`${JSON.stringify(wanted)} names no pages. ${example}`);
  if (first > count) throw new ToolError(`${path} has ${count} pages; page ${first} is past its end.`);
  if (last - first + 1 > MOST_AT_ONCE) throw new ToolError(`${last - first + 1} pages are too many. ${example}`);
  return { first, last };
}

function reasonOf(error: unknown): string {
  return /encrypted/i.test(messageOf(error))
    ? 'it is encrypted. Decrypt it with Bash (qpdf --decrypt) first.'
    : `it is broken (${messageOf(error)}). Try pdftotext with Bash.`;
}
