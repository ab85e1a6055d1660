// To be loaded lazily, with the whole of this file: a bundle has no names for what is imported of CommonJS on demand.
import { NodeHtmlMarkdown } from 'node-html-markdown';

const UNREAD = ['script', 'style', 'noscript', 'template', 'svg', 'iframe'];

/** HTML as Markdown, without what a reader does not see. */
export function toMarkdown(html: string): string {
  return NodeHtmlMarkdown.translate(html, { ignore: UNREAD });
}
