import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type AgentSource, type ParsedAgent, parseAgentFile } from './agent.js';
import { readDefinition, type SkippedFile, skippedBecause } from './files.js';

interface Known {
  readonly stamp: string;
  readonly agent: ParsedAgent | SkippedFile;
}

const known = new Map<string, Known>();

/** The agent of a Markdown file, or why it is none. Read and parsed again only when the file has changed since. */
export async function loadAgentFile(file: string, source: AgentSource): Promise<ParsedAgent | SkippedFile> {
  const key = `${source} ${file}`;
  const stamp = await stampOf(file);
  const before = known.get(key);
  if (stamp !== undefined && before?.stamp === stamp) return before.agent;
  const agent = await parsedOrSkipped(file, source);
  if (stamp === undefined) known.delete(key);
  else known.set(key, { stamp, agent });
  return agent;
}

async function parsedOrSkipped(file: string, source: AgentSource): Promise<ParsedAgent | SkippedFile> {
  try {
    const { agent, warnings } = await parseAgentFile(await readDefinition(file), file, source);
    return { agent: { ...agent, baseDir: dirname(file) }, warnings };
  } catch (error) {
    return skippedBecause(file, error);
  }
}

/** Other when the file is: whoever changes its text or its times changes its ctime, and an editor may put another file there. */
async function stampOf(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && [found.dev, found.ino, found.size, found.ctimeNs].join(' ');
}
