import type { Clock } from '../../../host/clock.js';
import { ToolError } from '../../../util/errors.js';
import { decoded } from '../files/encoding.js';
import { leanHtml, plainText } from './leanHtml.js';

export interface ReceivedPage {
  readonly url: string;
  /** As the server says it. */
  readonly type: string;
  readonly body: Buffer;
}

// A page of this size is mostly code; as Markdown it would take many seconds.
const MOST_CHARACTERS = 250_000;
const PLAIN = '[This page is too large or too deeply nested to be made Markdown: these are its words, without links.]';

/** A page as text for a model: HTML as Markdown, other text as it is. @throws ToolError for what is no text. */
export async function pageText({ url, type, body }: ReceivedPage, clock: Clock, signal: AbortSignal): Promise<string> {
  const [mime = ''] = type.toLowerCase().split(';');
  const kind = mime.trim();
  const isHtml = kind === 'text/html' || kind === 'application/xhtml+xml' || (kind === '' && looksLikeHtml(body));
  if (!isHtml && !/^text\/|[/+](json|xml|javascript|yaml)$|^$/.test(kind))
    throw new ToolError(
      `${url} is ${kind}, not a page of text. Download it with Bash (curl -o) and open it with Read.`,
    );
  const charset = charsetOf(type, body);
  const text = charset === 'windows-1252' ? decoded(body, charset) : new TextDecoder(charset).decode(body);
  if (!isHtml) return text;
  const html = leanHtml(text);
  const { toMarkdown } = await import('./markdown.js');
  const markdown = html.length > MOST_CHARACTERS ? undefined : await toMarkdown(html, clock, signal);
  return markdown ?? `${PLAIN}\n${plainText(html)}`;
}

/** By its mark, what the server says, or what the page itself says; UTF-8 where none of them is one we know. */
function charsetOf(type: string, body: Buffer): string {
  const start = body.subarray(0, 1024).toString('latin1');
  const marked = start.startsWith('\xef\xbb\xbf')
    ? 'utf-8'
    : start.startsWith('\xff\xfe')
      ? 'utf-16le'
      : start.startsWith('\xfe\xff')
        ? 'utf-16be'
        : undefined;
  const [, said] =
    /charset\s*=\s*["']?([\w:.-]+)/i.exec(type) ?? /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(start) ?? [];
  const charset = marked ?? said ?? 'utf-8';
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return 'utf-8';
  }
}

function looksLikeHtml(body: Buffer): boolean {
  return /^\s*<(!doctype html|html|head|body)\b/i.test(body.subarray(0, 1024).toString('latin1'));
}
