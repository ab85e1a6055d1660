import { systemClock } from '../../src/host/clock.js';
import { type Ids, systemIds } from '../../src/host/ids.js';
import { parseScript } from '../../src/modelServer/script/script.js';
import { type ModelServerOptions, startModelServer } from '../../src/modelServer/server.js';

/** Ids that count up, the same in every run. */
export function countingIds(): Ids {
  let next = 0;
  const hex = (length: number) => (++next).toString(16).padStart(length, '0');
  return { ...systemIds, hex, random: () => 0.5 };
}

/** A server of the test's own: `await using server = await modelServer()`. */
export async function modelServer({
  script,
  ...options
}: Partial<Omit<ModelServerOptions, 'script'>> & { script?: string } = {}) {
  const server = await startModelServer({
    clock: systemClock,
    ids: countingIds(),
    ...(script !== undefined && { script: parseScript(script, 'test.yaml') }),
    ...options,
  });
  const post = (path: string, body: unknown, headers: Record<string, string> = { 'x-api-key': 'k' }) =>
    fetch(server.url + path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'anthropic-version': '2023-06-01', ...headers },
    });
  return { ...server, post, [Symbol.asyncDispose]: () => server.close() };
}

export const hello = { model: 'claude-opus-5-5', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] };

/** A request of one member, whose messages alternate between user and assistant. */
export function from(userId: string, ...turns: unknown[]) {
  const tools = [{ name: 'Grep', description: 'greps', input_schema: { type: 'object' } }];
  const messages = turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  return { ...hello, tools, metadata: { user_id: userId }, messages };
}
