import { ToolError } from '../../util/errors.js';
import type { Tool } from '../tool.js';

/** More tools than this in all, and those of MCP servers are not sent to the model until they are asked for. */
export const MOST_LISTED = 40;

/** Tools that the model is not sent yet. */
export interface Deferred {
  readonly deferred: () => readonly Tool[];
  /** They are sent from the next request on, behind all others. Returns those that it found. */
  readonly load: (names: readonly string[]) => readonly Tool[];
}

export interface ToolBelt extends Deferred {
  /** What the agent has at this moment: the same list all the time, for whoever runs the loop. */
  readonly tools: readonly Tool[];
  /** What it has from now on. What was sent before keeps its place, for the prompt cache; what is new comes behind it. */
  renew(next: readonly Tool[]): void;
}

export interface BeltOptions {
  /** Makes the tool that loads others; without one in the list nothing is deferred. */
  readonly search: (deferred: Deferred) => Tool;
  /** Names that the model has been sent already: a fork has those of whom it comes from. */
  readonly listed?: readonly string[] | undefined;
}

/** An agent's tools, of which some may be deferred. */
export function createToolBelt(initial: readonly Tool[], { search, listed }: BeltOptions): ToolBelt {
  const tools: Tool[] = [];
  const belt: Deferred = {
    deferred: () => tools.filter(({ name, deferred }) => deferred !== undefined && name.startsWith('mcp__')),
    load(names) {
      const found = belt.deferred().filter(({ name }) => names.includes(name));
      for (const tool of found) {
        tools.splice(tools.indexOf(tool), 1);
        tools.push(undeferred(tool));
      }
      return found.map(undeferred);
    },
  };
  const loader = search(belt);
  let defers = listed?.includes(loader.name) === true;
  let sent = new Set(listed);

  const renew = (next: readonly Tool[]) => {
    const others = next.map(undeferred).filter(({ name }) => name !== loader.name);
    const mayDefer = others.length < next.length;
    defers ||= mayDefer && listed === undefined && others.length > MOST_LISTED;
    const order = new Map(tools.map(({ name }, index) => [name, index]));
    const placed = [...(mayDefer ? [loader] : []), ...others].map((tool) => {
      if (tool === loader) return defers ? loader : hidden(loader);
      return defers && isMcp(tool.name) && !sent.has(tool.name) ? hidden(tool) : tool;
    });
    placed.sort((a, b) => (order.get(a.name) ?? order.size) - (order.get(b.name) ?? order.size));
    tools.splice(0, tools.length, ...placed);
    sent = new Set(tools.flatMap(({ name, deferred }) => (deferred ? [] : [name])));
  };
  renew(initial);
  return {
    ...belt,
    tools,
    renew(next) {
      // What was loaded since is sent, too.
      sent = new Set(tools.flatMap(({ name, deferred }) => (deferred ? [] : [name])));
      renew(next);
    },
  };
}

const isMcp = (name: string) => name.startsWith('mcp__');

function undeferred(tool: Tool): Tool {
  return tool.deferred ?? tool;
}

function hidden(tool: Tool): Tool {
  return {
    ...tool,
    deferred: tool,
    prepare() {
      throw new ToolError(
        `${tool.name} is not loaded. Load it with ToolSearch, "select:${tool.name}", and call it in your next step.`,
      );
    },
  };
}
