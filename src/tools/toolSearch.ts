import * as z from 'zod/mini';
import type { Deferred } from '../agent/calls/toolBelt.js';
import { defineTool, type Tool } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';
import { oneLine } from '../util/text.js';

const DEFAULT_RESULTS = 5;
const MOST_RESULTS = 20;

/** Loads tools that the model is not sent at once. */
export function createToolSearchTool({ deferred, load }: Deferred): Tool {
  return defineTool({
    name: 'ToolSearch',
    description:
      'Finds and loads tools of MCP servers that are not in your list of tools yet. Say in words what you need, or "select:name,name" for those whose names you know. What it names can be called from your next step on.',
    input: z.object({
      query: z.string().check(z.minLength(1)),
      max_results: z._default(z.int().check(z.minimum(1), z.maximum(MOST_RESULTS)), DEFAULT_RESULTS),
    }),
    isReadOnly: true,
    isConcurrent: false,
    access: () => ({ kind: 'none' }),
    async call({ query, max_results }) {
      const [, names] = /^\s*select:(.*)$/s.exec(query) ?? [];
      const found = names === undefined ? search(query, deferred()).slice(0, max_results) : selected(names, deferred());
      if (found.length === 0) return `No tool fits. ${rest(deferred())}`;
      const lines = load(found.map(({ name }) => name)).map(
        ({ name, schema }) => `- ${name}: ${oneLine(schema.description, 200)}`,
      );
      return `Loaded, to be called from now on:\n${lines.join('\n')}`;
    },
  });
}

function selected(names: string, deferred: readonly Tool[]): Tool[] {
  const wanted = names.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const found = wanted.map((name) => ({ name, tool: deferred.find((tool) => tool.name === name) }));
  const missing = found.flatMap(({ name, tool }) => (tool ? [] : [name]));
  if (missing.length > 0)
    throw new ToolError(`Not to be loaded, or loaded already: ${missing.join(', ')}. ${rest(deferred)}`);
  return found.flatMap(({ tool }) => tool ?? []);
}

function rest(deferred: readonly Tool[]): string {
  if (deferred.length === 0) return 'There is nothing that is not loaded.';
  return `To be loaded: ${deferred.map(({ name }) => name).join(', ')}`;
}

/** Those that hold a word of the query, the best first: a word of the name counts more than one of the description. */
function search(query: string, tools: readonly Tool[]): Tool[] {
  const words = wordsOf(query);
  const scored = tools.map((tool, index) => ({ tool, index, score: scoreOf(tool, words) }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ tool }) => tool);
}

function scoreOf({ name, schema }: Tool, words: readonly string[]): number {
  const ofName = wordsOf(name);
  const description = schema.description.toLowerCase();
  return words.reduce((sum, word) => {
    if (ofName.includes(word)) return sum + 10;
    if (word.length > 2 && ofName.some((part) => part.includes(word))) return sum + 5;
    // Of a short word a name must be made; every description holds one.
    return word.length > 3 && description.includes(word) ? sum + 2 : sum;
  }, 0);
}

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
