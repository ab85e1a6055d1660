import * as z from 'zod/mini';
import type { ModelFacts } from '../../model/catalogue.js';
import { explain } from './issue.js';
import type { Tool } from './request.js';

const WEB_SEARCH = /^web_search_(20250305|20260209|20260318)$/;
const Domains = z.optional(z.nullable(z.array(z.string())));

const WebSearch = z.looseObject({
  name: z.literal('web_search'),
  max_uses: z.optional(z.nullable(z.int().check(z.minimum(1, 'Input should be greater than 0')))),
  allowed_domains: Domains,
  blocked_domains: Domains,
});

/** Why the API would refuse its own web search in a request, or `undefined`. Source: the web search page of its documentation. */
export function serverToolProblem(tool: Tool, index: number, { searchesWeb, id }: ModelFacts): string | undefined {
  const { type } = tool;
  if (typeof type !== 'string' || !WEB_SEARCH.test(type)) return undefined;
  const at = `tools.${index}.${type}`;
  if (!searchesWeb) return `'${id}' does not support tool types: ${type}.`;
  const parsed = WebSearch.safeParse(tool, { reportInput: true });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const { path, words } = issue ? explain(issue) : { path: [], words: 'Invalid' };
    return `${[at, ...path].join('.')}: ${words}`;
  }
  const { allowed_domains: allowed, blocked_domains: blocked } = parsed.data;
  if (allowed && blocked) return `${at}: Only one of allowed_domains or blocked_domains may be specified.`;
  const wrong = [...(allowed ?? []), ...(blocked ?? [])].find((domain) => /^\w+:\/\/|\s/.test(domain));
  return wrong === undefined ? undefined : `${at}: "${wrong}" is not a valid domain: leave the scheme out`;
}
