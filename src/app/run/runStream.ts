import type { AgentEvent } from '../../agent/events.js';
import type { InitLine } from '../../headless/stream.js';

type Offered = Pick<InitLine, 'tools' | 'agents' | 'mcp_servers'>;

/** The lines of `stream-json`: the first says what the team begins with, and what happens before waits for it. */
export interface RunStream {
  /** The lead's session is open. */
  begin(facts: Omit<InitLine, keyof Offered | 'type' | 'subtype'>): void;
  /** The lead has its tools. */
  joined(event: Extract<AgentEvent, { type: 'joined' }>): void;
  line(line: object): void;
  /** Whatever still waits is written. */
  end(): void;
}

export function createRunStream(write: (line: object) => void): RunStream {
  let facts: Parameters<RunStream['begin']>[0] | undefined;
  let waiting: object[] | undefined = [];

  function release(offered: Offered): void {
    if (!waiting) return;
    const held = waiting;
    waiting = undefined;
    if (facts) write({ type: 'system', subtype: 'init', ...facts, ...offered } satisfies InitLine);
    for (const line of held) write(line);
  }

  return {
    begin(begun) {
      facts = begun;
    },
    joined: ({ tools, agents, mcpServers }) =>
      release({ tools: [...tools], agents: [...agents], mcp_servers: mcpServers.map((server) => ({ ...server })) }),
    line(line) {
      if (waiting) waiting.push(line);
      else write(line);
    },
    end: () => release({ tools: [], agents: [], mcp_servers: [] }),
  };
}
