import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { appendLine } from '../../store/jsonLines.js';
import { hasCode, messageOf, UserError } from '../../util/errors.js';
import { createQueue } from '../../util/queue.js';
import { apiError } from '../apiError.js';
import { type Exchange, type Responder, refusal } from '../exchange.js';
import { keptHeaders, type Recorded, withoutKeys } from './exchanges.js';

export interface RecorderOptions {
  /** A new file. */
  readonly file: string;
  /** The address of the service that answers, as in `ANTHROPIC_BASE_URL`. */
  readonly upstream: string;
}

/** Passes each request on to a service and its answer back, and keeps both. @throws UserError when the file cannot be made. */
export async function createRecorder({ file, upstream }: RecorderOptions): Promise<Responder> {
  try {
    await writeFile(file, '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const because = hasCode(error, 'EEXIST') ? 'it exists already' : messageOf(error);
    throw new UserError(`Cannot record to ${file}: ${because}.`, 2, { cause: error });
  }
  const writing = createQueue();
  const keep = (recorded: Recorded) => writing.run(() => appendLine(file, recorded));

  return async (exchange) => {
    const { method, path, query, text, key, response, gone } = exchange;
    let answer: Response;
    try {
      answer = await fetch(upstream.replace(/\/+$/, '') + path + query, {
        method,
        headers: forwarded(exchange),
        ...(text !== '' && { body: text }),
        signal: gone,
      });
    } catch (error) {
      const problem = `${upstream} cannot be reached: ${messageOf(error instanceof Error && error.cause ? error.cause : error)}`;
      return refusal(exchange, apiError(502, problem), { problem });
    }
    const headers = keptHeaders(answer.headers);
    return {
      outcome: { status: answer.status },
      async send() {
        response.writeHead(answer.status, headers);
        const { body, cut } = await passOn(answer, response);
        if (gone.aborted && cut) return;
        await keep({
          request: { method, path: path + query, body: withoutKeys(text, key) },
          response: { status: answer.status, headers, body: withoutKeys(body, key), ...(cut && { cut }) },
        });
        // The last byte says that the exchange is kept.
        if (cut) response.destroy();
        else response.end();
      },
    };
  };
}

/** What belongs to this connection, or is added anew. */
const HOP = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
]);

function forwarded({ headers }: Exchange): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || HOP.has(name) ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
}

async function passOn(answer: Response, response: ServerResponse): Promise<{ body: string; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  const whole = () => Buffer.concat(chunks).toString('utf8');
  try {
    for await (const chunk of answer.body ?? []) {
      chunks.push(chunk);
      response.write(chunk);
    }
    return { body: whole(), cut: false };
  } catch {
    return { body: whole(), cut: true };
  }
}
