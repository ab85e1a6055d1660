import * as z from 'zod/mini';
import { invalid } from '../apiError.js';
import { type Exchange, type Responder, refusal } from '../exchange.js';
import { parsed, type Recorded, withoutKeys } from './exchanges.js';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/**
 * Answers from a recording, byte for byte, each exchange once. Requests of several agents may come in another order than
 * they were recorded in. One that is not in the recording is refused with 400 and shown next to the one that was expected.
 */
export function createReplayer(recording: readonly Recorded[], file: string): Responder {
  const left = new Set(recording);

  const take = (asked: Asked): Recorded | undefined => {
    const candidates = [...left].filter(
      ({ request }) => request.method === asked.method && request.path === asked.path,
    );
    const found =
      candidates.find(({ request }) => request.body === asked.body) ??
      candidates.find(({ request }) => anonymous(request.body) === anonymous(asked.body));
    if (found) left.delete(found);
    return found;
  };

  return async (exchange) => {
    const { method, path, query, text, key, response } = exchange;
    const asked = { method, path: path + query, body: withoutKeys(text, key) };
    const found = take(asked);
    if (!found) return differs(exchange, asked, [...left], file);
    const { status, headers, body, cut } = found.response;
    return {
      outcome: { status, ...(cut && { fault: 'cut' }) },
      send() {
        response.writeHead(status, headers);
        if (cut) response.write(body, () => response.destroy());
        else response.end(body);
      },
    };
  };
}

async function differs(exchange: Exchange, asked: Asked, left: readonly Recorded[], file: string) {
  const ofPath = left.filter(({ request }) => request.method === asked.method && request.path === asked.path);
  const who = userIdOf(asked.body);
  const expected = ofPath.find(({ request }) => userIdOf(request.body) === who) ?? ofPath[0];
  const { differenceOf } = await import('./difference.js');
  const problem = expected
    ? `This request of ${who || 'a client without metadata.user_id'} is not in ${file}. The next one there differs:\n${differenceOf(expected.request.body, asked.body)}`
    : `Nothing is left in ${file} for ${asked.method} ${asked.path}.`;
  return refusal(exchange, invalid(problem), { problem });
}

/** Without who asks: teams get new names, sub-agents new ids. */
function anonymous(body: string): string {
  const value = parsed(body);
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return body;
  const { metadata: _, ...rest } = value;
  return JSON.stringify(rest);
}

const Asking = z.object({ metadata: z.object({ user_id: z.string() }) });

function userIdOf(body: string): string {
  const { data } = Asking.safeParse(parsed(body));
  return data?.metadata.user_id ?? '';
}
