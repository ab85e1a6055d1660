import * as z from 'zod/mini';
import type { LoggedRequest } from '../../src/modelServer/requestLog.js';
import type { Stage } from './program.js';

const Body = z.object({
  tools: z._default(z.array(z.looseObject({ name: z.string() })), []),
  messages: z.array(
    z.object({ role: z.string(), content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]) }),
  ),
});

const texts = new WeakMap<object, string>();

/** A request as text; of one that is looked at again and again it is made once. */
export function textOf(request: LoggedRequest): string {
  const text = texts.get(request) ?? JSON.stringify(request.body);
  texts.set(request, text);
  return text;
}

/** The requests that an agent sent: `team-lead`, or the beginning of a sub-agent's `team-lead/`. */
export function requestsOf(stage: Pick<Stage, 'server'>, agent: string): z.infer<typeof Body>[] {
  return sentBy(stage, agent).map(({ body }) => Body.parse(body));
}

function sentBy({ server }: Pick<Stage, 'server'>, agent: string): LoggedRequest[] {
  return server.log().filter(({ userId }) => {
    const name = userId.split(':').slice(2).join(':');
    return agent.endsWith('/') ? name.startsWith(agent) : name === agent;
  });
}

/** What an agent's tools have answered, in order, as its last request holds it. */
export function resultsOf(stage: Pick<Stage, 'server'>, agent: string): unknown[] {
  const last = sentBy(stage, agent).at(-1);
  const messages = last ? Body.parse(last.body).messages : [];
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.filter(({ type }) => type === 'tool_result').map((block) => block['content']),
  );
}
