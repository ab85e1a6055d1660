import * as z from 'zod/mini';
import type { Stage } from './program.js';

const Body = z.object({
  tools: z._default(z.array(z.looseObject({ name: z.string() })), []),
  messages: z.array(
    z.object({ role: z.string(), content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]) }),
  ),
});

/** The requests that an agent sent: `team-lead`, or the beginning of a sub-agent's `team-lead/`. */
export function requestsOf({ server }: Pick<Stage, 'server'>, agent: string): z.infer<typeof Body>[] {
  return server
    .log()
    .filter(({ userId }) => {
      const name = userId.split(':').slice(2).join(':');
      return agent.endsWith('/') ? name.startsWith(agent) : name === agent;
    })
    .map(({ body }) => Body.parse(body));
}

/** What an agent's tools have answered, in order, as its last request holds it. */
export function resultsOf(stage: Pick<Stage, 'server'>, agent: string): unknown[] {
  const { messages = [] } = requestsOf(stage, agent).at(-1) ?? {};
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.filter(({ type }) => type === 'tool_result').map((block) => block['content']),
  );
}
