import { readdir } from 'node:fs/promises';
import type { Home } from '../../config/paths.js';
import { findProject } from '../../definitions/projectFolders.js';
import { isUuid } from '../../host/ids.js';
import type { PastSession } from '../../memory/dream.js';
import type { MessageParam } from '../../model/types.js';
import { saidIn } from '../../transcript/resume.js';
import { readSession } from '../../transcript/session.js';
import { openTranscript } from '../../transcript/transcript.js';
import { hasCode } from '../../util/errors.js';
import { head, tail } from '../../util/text.js';
import type { World } from '../services.js';

/** The sessions of one project but `own`, the oldest first. What cannot be read is left out. */
export async function sessionsOf(home: Home, mainRoot: string, own: string): Promise<PastSession[]> {
  const names = await readdir(home.sessions).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  const found = await Promise.all(
    names
      .filter((name) => isUuid(name) && name !== own)
      .map(async (id) => {
        const session = await readSession(home, id).catch(() => undefined);
        if (!session || (await findProject(session.cwd)).mainRoot !== mainRoot) return undefined;
        return { id, at: session.endedAt ?? session.startedAt };
      }),
  );
  return found.filter((session) => session !== undefined).sort((a, b) => a.at - b.at);
}

const MOST_OF_SESSION = 20_000;
const MOST_OF_BLOCK = 1_500;
const MOST_IN_ALL = 200_000;

/** What was said in sessions, the newest ones where all of it is too long. */
export async function digestOf(world: World, sessions: readonly PastSession[]): Promise<string> {
  const { home, clock, ids } = world;
  const parts: string[] = [];
  let room = MOST_IN_ALL;
  for (const { id, at } of sessions.toReversed()) {
    const { entries } = await openTranscript(home.session(id).transcript, { sessionId: id, clock, ids }).load();
    const said = saidIn(entries).flatMap((message) => (message === 'summary' ? [] : linesOf(message)));
    const text = tail(said.join('\n'), Math.min(room, MOST_OF_SESSION)).replace(/<(\/?session)/gi, '&lt;$1');
    room -= text.length;
    if (text !== '') parts.unshift(`<session id="${id}" at="${new Date(at).toISOString()}">\n${text}\n</session>`);
    if (room <= 0) break;
  }
  return parts.join('\n\n');
}

function linesOf({ role, content }: MessageParam): string[] {
  if (typeof content === 'string') return [`${role}: ${head(content, MOST_OF_BLOCK)}`];
  return content.flatMap((block) => {
    if (block.type === 'text') return [`${role}: ${head(block.text, MOST_OF_BLOCK)}`];
    if (block.type === 'tool_use') return [`${block.name} ${head(JSON.stringify(block.input), MOST_OF_BLOCK)}`];
    if (block.type !== 'tool_result') return [];
    const text = typeof block.content === 'string' ? block.content : (JSON.stringify(block.content) ?? '');
    return [`=> ${head(text, MOST_OF_BLOCK)}`];
  });
}
