import type { Socket } from 'node:net';
import * as z from 'zod/mini';

const MAX_LINE = 1024 * 1024;

/** What a listener says to each record. */
export const Answer = z.union([z.object({ ack: z.string() }), z.object({ error: z.string() })]);
export type Answer = z.infer<typeof Answer>;

/** Whole lines as they come. @throws for one that has no end. */
export async function* linesOf(socket: Socket): AsyncGenerator<string> {
  socket.setEncoding('utf8');
  let rest = '';
  for await (const chunk of socket) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield line;
    if (rest.length > MAX_LINE) throw new Error(`the line is longer than ${MAX_LINE} bytes`);
  }
}

export function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
