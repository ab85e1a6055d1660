import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../../definitions/frontmatter.js';
import { type CallResult, Content, type ResourceContents } from '../../../mcp/result.js';
import type { ContentBlockParam } from '../../../model/types.js';
import { clip } from '../clip.js';
import { imageProblem } from '../documents/image.js';
import { kindOf } from '../files/fileKind.js';

/** Where results go that are too long, or no text, and how long they may be. */
export interface ContentPlace {
  /** Absolute. */
  readonly folder: string;
  /** A file's name without its end. */
  readonly name: string;
  /** Estimated at four characters a token. */
  readonly maxTokens: number;
}

/** A call's result as the model is shown it. What is too long, or cannot be shown, is in a file whose path is told. */
export async function blocksOf(
  { content, structuredContent }: Pick<CallResult, 'content' | 'structuredContent'>,
  place: ContentPlace,
): Promise<string | ContentBlockParam[]> {
  const save = saver(place);
  const blocks: ContentBlockParam[] = [];
  for (const part of content) blocks.push(await blockOf(part, save));
  const structured = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  if (structured !== undefined && !content.some((part) => saysTheSame(part, structuredContent)))
    blocks.push(text(structured));
  const [first, ...more] = await bounded(blocks, place, save);
  return first?.type === 'text' && more.length === 0 ? first.text : first ? [first, ...more] : [];
}

/** The contents of a resource, in the same way. */
export function blocksOfResource(
  contents: readonly ResourceContents[],
  place: ContentPlace,
): Promise<string | ContentBlockParam[]> {
  return blocksOf({ content: contents.map((resource) => ({ type: 'resource', resource })) }, place);
}

type Save = (content: string | Buffer, extension: string) => Promise<string>;

function saver({ folder, name }: ContentPlace): Save {
  let count = 0;
  return async (content, extension) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${name}${count++ === 0 ? '' : `-${count}`}.${extension}`);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
}

async function blockOf(part: unknown, save: Save): Promise<ContentBlockParam> {
  const { success, data } = Content.safeParse(part);
  if (!success) return text(JSON.stringify(part));
  switch (data.type) {
    case 'text':
      return text(data.text);
    case 'image':
    case 'audio':
      return bytes(data.data, data.mimeType, data.type, save);
    case 'resource_link':
      return text(`Resource ${data.uri}${data.name === undefined ? '' : ` (${data.name})`}`);
    case 'resource': {
      const { uri, text: words, blob, mimeType = 'application/octet-stream' } = data.resource;
      if (words !== undefined) return text(`Resource ${uri}:\n${words}`);
      return blob === undefined ? text(`Resource ${uri}: empty`) : bytes(blob, mimeType, `resource ${uri}`, save);
    }
  }
}

async function bytes(base64: string, mimeType: string, what: string, save: Save): Promise<ContentBlockParam> {
  const content = Buffer.from(base64, 'base64');
  const found = kindOf(content);
  const problem = found.kind === 'image' ? imageProblem(content, found.type) : '';
  if (found.kind === 'image' && problem === undefined)
    return { type: 'image', source: { type: 'base64', media_type: found.type, data: content.toString('base64') } };
  const path = await save(content, 'bin');
  return text(`[${what}, ${mimeType}, ${content.length} bytes${problem ? `, ${problem}` : ''}: ${path}]`);
}

/** All text together within the limit: else all of it in a file, and its beginning and end here. */
async function bounded(blocks: ContentBlockParam[], { maxTokens }: ContentPlace, save: Save) {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const whole = texts.join('\n');
  const limit = maxTokens * 4;
  if (whole.length <= limit) return blocks;
  const path = await save(whole, 'txt');
  const others = blocks.filter(({ type }) => type !== 'text');
  return [text(clip(whole, limit, `All of it is in ${path}`)), ...others];
}

function saysTheSame(part: unknown, structured: unknown): boolean {
  if (!isRecord(part) || typeof part['text'] !== 'string') return false;
  try {
    return JSON.stringify(JSON.parse(part['text'])) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

function text(words: string): ContentBlockParam {
  return { type: 'text', text: words };
}
