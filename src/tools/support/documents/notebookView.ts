import { stripVTControlCharacters } from 'node:util';
import type { ContentBlockParam } from '../../../model/types.js';
import { clip } from '../clip.js';
import { type ImageType, kindOf } from '../files/fileKind.js';
import { imageProblem } from './image.js';
import { type Cell, cellNames, type Notebook, type Output, textOf } from './notebook.js';

const MOST_OUTPUT = 10_000;
/** An image costs as many tokens as a text of about this size. */
const IMAGE_BYTES = 6000;
const IMAGES: readonly ImageType[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export interface NotebookView {
  readonly blocks: readonly ContentBlockParam[];
  /** How many cells are shown. */
  readonly shown: number;
}

/** A notebook's cells with what they printed, images as images. @param first from 1 */
export function viewOf(
  path: string,
  { cells }: Notebook,
  { first, limit, maxBytes }: { readonly first: number; readonly limit: number; readonly maxBytes: number },
): NotebookView {
  const blocks: ContentBlockParam[] = [];
  let bytes = 0;
  let shown = 0;
  const names = cellNames(cells);
  for (const [offset, cell] of cells.slice(first - 1, first - 1 + limit).entries()) {
    const parts = cellBlocks(path, cell, names[first - 1 + offset] ?? '');
    bytes += parts.reduce(
      (sum, block) => sum + (block.type === 'text' ? Buffer.byteLength(block.text) : IMAGE_BYTES),
      0,
    );
    if (bytes > maxBytes && shown > 0) break;
    blocks.push(...parts);
    shown++;
  }
  return { blocks: joined(blocks), shown };
}

function cellBlocks(path: string, cell: Cell, name: string): ContentBlockParam[] {
  const kind = cell.cell_type === 'code' ? '' : ` type="${cell.cell_type}"`;
  const source = clip(textOf(cell.source), MOST_OUTPUT * 10, `All of it is in ${path}`);
  const outputs = cell.cell_type === 'code' ? cell.outputs.flatMap((output) => outputBlocks(path, output)) : [];
  return [textBlock(`<cell id="${name}"${kind}>\n${source}\n</cell>`), ...outputs];
}

function outputBlocks(path: string, output: Output): ContentBlockParam[] {
  const { data = {}, text, ename, evalue = '', traceback = [] } = output;
  const image = IMAGES.map((type) => ({ type, data: data[type] })).find((found) => isText(found.data));
  const words =
    ename !== undefined
      ? traceback.join('\n') || `${ename}: ${evalue}`
      : isText(text)
        ? textOf(text)
        : isText(data['text/plain'])
          ? textOf(data['text/plain'])
          : '';
  const shown = clip(stripVTControlCharacters(words).trimEnd(), MOST_OUTPUT, `All of it is in ${path}`);
  const pictures = image && isText(image.data) ? [imageBlock(textOf(image.data))] : [];
  return [...(shown === '' ? [] : [textBlock(`<output>\n${shown}\n</output>`)]), ...pictures];
}

/** By what it is, whatever the notebook calls it. */
function imageBlock(data: string): ContentBlockParam {
  const bytes = Buffer.from(data, 'base64');
  const found = kindOf(bytes);
  const problem = found.kind === 'image' ? imageProblem(bytes, found.type) : 'is no image that can be shown';
  if (found.kind !== 'image' || problem !== undefined)
    return textBlock(`<output>(an image that is not shown: it ${problem})</output>`);
  return { type: 'image', source: { type: 'base64', media_type: found.type, data: bytes.toString('base64') } };
}

function isText(value: unknown): value is string | string[] {
  return typeof value === 'string' || (Array.isArray(value) && value.every((line) => typeof line === 'string'));
}

const textBlock = (text: string): ContentBlockParam => ({ type: 'text', text });

/** Neighbouring texts as one. */
function joined(blocks: readonly ContentBlockParam[]): ContentBlockParam[] {
  const all: ContentBlockParam[] = [];
  for (const block of blocks) {
    const last = all.at(-1);
    if (block.type === 'text' && last?.type === 'text') all.splice(-1, 1, textBlock(`${last.text}\n${block.text}`));
    else all.push(block);
  }
  return all;
}
