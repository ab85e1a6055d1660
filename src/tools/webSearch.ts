import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';
import { clip } from './support/clip.js';
import type { Searched, SearchSource } from './support/web/searchResults.js';

export interface SearchRequest {
  readonly query: string;
  /** Results come from these alone, or from none of those. At most one of them is given. */
  readonly allowedDomains?: readonly string[] | undefined;
  readonly blockedDomains?: readonly string[] | undefined;
}

/** Has the model's service search. @throws ToolError when it does not. */
export type SearchWeb = (request: SearchRequest, signal: AbortSignal) => Promise<Searched>;

const MOST_CHARACTERS = 30_000;
const MOST_SOURCES = 40;

const Domains = z.optional(z.array(z.string().check(z.minLength(1))).check(z.minLength(1)));
const Input = z.object({
  query: z.string().check(z.minLength(2), z.maxLength(500)),
  allowed_domains: Domains,
  blocked_domains: Domains,
});
type Input = z.infer<typeof Input>;

/** For members whose model's service has a web search. */
export function createWebSearchTool(search: SearchWeb): Tool {
  return defineTool({
    name: 'WebSearch',
    description:
      'Searches the web and answers from what it found, with its sources. Name those that you use. Only one of allowed_domains and blocked_domains.',
    input: Input,
    isReadOnly: true,
    access(input) {
      requestOf(input);
      return { kind: 'other' };
    },
    call: async (input, { signal }) => resultOf(input.query, await search(requestOf(input), signal)),
  });
}

function requestOf({ query, allowed_domains, blocked_domains }: Input): SearchRequest {
  if (allowed_domains && blocked_domains)
    throw new ToolError('Give allowed_domains or blocked_domains, not both: those that are not allowed are blocked.');
  const wrong = [...(allowed_domains ?? []), ...(blocked_domains ?? [])].find((domain) => !DOMAIN.test(domain));
  if (wrong !== undefined)
    throw new ToolError(`${JSON.stringify(wrong)} is no domain. Give one like example.com or example.com/docs.`);
  return { query, allowedDomains: allowed_domains, blockedDomains: blocked_domains };
}

/** A host, and the beginning of a path where only a part of it is meant; no scheme. */
const DOMAIN = /^[^\s/:*]+\.[^\s/:*]+(\/[^\s*]*)?$/;

function resultOf(query: string, { text, sources, searches, problems }: Searched): string {
  if (searches === 0)
    return `Nothing was searched; the model that was to search only said:\n\n${clip(text, MOST_CHARACTERS, 'Ask again.')}`;
  if (sources.length === 0 && problems.length > 0)
    throw new ToolError(`The search for ${JSON.stringify(query)} failed: ${problems.map(problemWords).join('; ')}.`);
  const said = text === '' ? `Pages found for ${JSON.stringify(query)}:` : clip(text, MOST_CHARACTERS, 'Ask for less.');
  const failed =
    problems.length > 0 ? [`(${problems.length} of the searches failed: ${problemWords(problems[0])}.)`] : [];
  return [said, listOf(sources), ...failed].join('\n\n');
}

function listOf(sources: readonly SearchSource[]): string {
  if (sources.length === 0) return 'No page was found.';
  const lines = sources
    .slice(0, MOST_SOURCES)
    .map(({ title, url, age }) => `- [${title.replace(/[[\]]/g, '\\$&')}](${url})${age ? ` (${age})` : ''}`);
  const more = sources.length > MOST_SOURCES ? [`- and ${sources.length - MOST_SOURCES} more`] : [];
  return ['Sources:', ...lines, ...more].join('\n');
}

const PROBLEMS: Readonly<Record<string, string>> = {
  too_many_requests: 'the service searches too much at the moment; try again later',
  max_uses_exceeded: 'it took more searches than one call may; ask for less at once',
  query_too_long: 'the query is too long',
  invalid_tool_input: 'the service did not understand the query',
  unavailable: 'the search is not available at the moment',
};

function problemWords(code = ''): string {
  return PROBLEMS[code] ?? `the service says "${code}"`;
}
