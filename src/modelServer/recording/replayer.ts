import * as z from 'zod/mini';
import { invalid } from '../apiError.js';
import { type Exchange, type Responder, refusal } from '../exchange.js';
import { parsed, type Recorded, withoutKeys } from './exchanges.js';
import { withIdsInStream } from './idsInStream.js';
import { type Ids, learnIds, withNamedIds } from './sameIds.js';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/**
 * Answers from a recording, byte for byte, each exchange once. Requests of several agents may come in another order than
 * they were recorded in, and ids that are new in every run may differ: where an answer repeats one, it repeats the new
 * one. A request that is not in the recording is refused with 400 and shown next to the one that was expected.
 */
export function createReplayer(recording: readonly Recorded[], file: string): Responder {
  const left = new Set(recording);
  const ids: Ids = new Map();

  const ofPath = ({ method, path }: Asked) =>
    [...left].filter(({ request }) => request.method === method && request.path === path);

  const take = (asked: Asked): Recorded | undefined => {
    const sameBy = (form: (body: string) => string) => {
      const wanted = form(asked.body);
      return ofPath(asked).find(({ request }) => form(request.body) === wanted);
    };
    const found = sameBy((body) => body) ?? sameBy(withNamedIds) ?? sameBy((body) => withNamedIds(anonymous(body)));
    if (!found) return undefined;
    left.delete(found);
    learnIds(ids, anonymous(found.request.body), anonymous(asked.body));
    return found;
  };

  return async (exchange) => {
    const { method, path, query, text, key, response } = exchange;
    const asked = { method, path: path + query, body: withoutKeys(text, key) };
    const found = take(asked);
    if (!found) return differs(exchange, asked, ofPath(asked), file);
    const { status, headers, body: recorded, cut } = found.response;
    const body = withIdsInStream(recorded, ids);
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
  const who = userIdOf(asked.body);
  const of = (name: (userId: string) => string) =>
    left.find(({ request }) => name(userIdOf(request.body)) === name(who));
  const expected = of((userId) => userId) ?? of(memberIn) ?? left[0];
  const { differenceOf } = await import('./difference.js');
  const problem = expected
    ? `This request of ${who || 'a client without metadata.user_id'} is not in ${file}. The next one there differs:\n${differenceOf(expected.request.body, asked.body)}`
    : `Nothing is left in ${file} for ${asked.method} ${asked.path}.`;
  return refusal(exchange, invalid(problem), { problem });
}

/** Without who asks (teams get new names, sub-agents new ids), and in one order of fields. */
function anonymous(body: string): string {
  const value = parsed(body);
  if (typeof value !== 'object' || value === null) return body;
  const fields = Object.entries(value).filter(([name]) => name !== 'metadata');
  return JSON.stringify(Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1))));
}

const Asking = z.object({ metadata: z.object({ user_id: z.string() }) });

function userIdOf(body: string): string {
  return Asking.safeParse(parsed(body)).data?.metadata.user_id ?? '';
}

/** `troupe:<team>:<member>`: the member of whatever team. */
function memberIn(userId: string): string {
  return userId.replace(/^troupe:[^:]*:/, '');
}
