import type { ContentBlock } from '../../../model/types.js';
import { oneLine } from '../../../util/text.js';

export interface SearchSource {
  readonly title: string;
  readonly url: string;
  /** As the service says it: "2 days ago". */
  readonly age?: string;
}

/** What a service that searched the web has said. */
export interface Searched {
  /** The model's own words behind its last search. */
  readonly text: string;
  /** Each page once, in the order in which they were found. */
  readonly sources: readonly SearchSource[];
  /** How often it searched. */
  readonly searches: number;
  /** Why a search failed, in the service's codes. */
  readonly problems: readonly string[];
}

/** Reads an answer's blocks, those of all its parts where the service paused. */
export function searchedIn(blocks: readonly ContentBlock[]): Searched {
  const results = blocks.flatMap((block) => (block.type === 'web_search_tool_result' ? [block.content] : []));
  const pages = results.flatMap((content) => (Array.isArray(content) ? content : []));
  const sources = new Map(
    pages.map(({ title, url, page_age: age }) => [url, { title: oneLine(title, 200), url, ...(age && { age }) }]),
  );
  const last = blocks.findLastIndex(({ type }) => type === 'web_search_tool_result');
  return {
    text: textOf(blocks.slice(last + 1)) || textOf(blocks),
    sources: [...sources.values()],
    searches: blocks.filter((block) => block.type === 'server_tool_use' && block.name === 'web_search').length,
    problems: results.flatMap((content) => (Array.isArray(content) ? [] : [content.error_code])),
  };
}

/** A cited passage is a block of its own, in the middle of a sentence. */
function textOf(blocks: readonly ContentBlock[]): string {
  return blocks
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('')
    .trim();
}
