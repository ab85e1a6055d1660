// To be loaded lazily, with the whole of this file: a bundle has no names for what is imported of CommonJS on demand.
import { NodeHtmlMarkdown } from 'node-html-markdown';

/** HTML as Markdown. */
export function toMarkdown(html: string): string {
  return NodeHtmlMarkdown.translate(html);
}
