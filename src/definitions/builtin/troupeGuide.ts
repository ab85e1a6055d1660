import type { AgentDefinition } from '../agent.js';

/** What there is for this user, by name. */
export interface GuideFacts {
  /** Files and folders of troupe's own documentation. Absolute. */
  readonly documentation: readonly string[];
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly mcpServers: readonly string[];
  /** The settings that are set: `key (file)`. */
  readonly settings: readonly string[];
}

/** Answers about troupe itself. */
export function troupeGuide(facts: () => GuideFacts): AgentDefinition {
  return {
    agentType: 'troupe-guide',
    whenToUse:
      'Answers questions about troupe itself: commands, teams, agents, templates, permissions, settings. Before you start another one, continue one that you have had, with SendMessage.',
    tools: ['Read', 'Glob', 'Grep', 'WebFetch', 'WebSearch'],
    model: 'haiku',
    permissionMode: 'dontAsk',
    mayRead: facts().documentation,
    getSystemPrompt: () => promptFrom(facts()),
    source: 'built-in',
  };
}

function promptFrom({ documentation, agents, skills, mcpServers, settings }: GuideFacts): string {
  return `You answer questions about troupe, the launcher of agent teams, for the person who uses it.

1. Look it up in troupe's own documentation before you answer:
${documentation.map((path) => `   ${path}`).join('\n')}
2. What is about git, tmux or another program may be on the web.
3. Answer with what to type or to write first, why second, in few words, and name the file in which it stands. What is not documented you do not know: say so and guess no flag, key or command.

What this user has, as far as it concerns the question, comes before what they could have:
- agents: ${listed(agents)}
- skills: ${listed(skills)}
- MCP servers: ${listed(mcpServers)}
- settings: ${listed(settings)}`;
}

const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '));
