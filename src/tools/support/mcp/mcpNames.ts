import { createHash } from 'node:crypto';
import { serverKey } from '../../../definitions/mcp.js';

/** What the API takes as a tool's name (Messages API, `tools.name`), as servers' tools share it with all clients. */
const MAX_NAME = 64;

/** `mcp__<server>__<tool>`, in the characters that the API allows; a name that is too long ends in a mark of its own. */
export function mcpToolName(server: string, tool: string): string {
  const name = `mcp__${serverKey(server)}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (name.length <= MAX_NAME) return name;
  const mark = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME - mark.length - 1)}_${mark}`;
}
