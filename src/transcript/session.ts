import * as z from 'zod/mini';
import { isUuid } from '../host/ids.js';
import { PermissionMode } from '../permissions/mode.js';
import { readJson, writeJson } from '../store/jsonFile.js';
import { makeFolder } from '../store/spool.js';
import { UserError } from '../util/errors.js';

/** Whose session it was and how it ended: `sessions/<id>/session.json`. Times are milliseconds since the epoch. */
export const SessionRecord = z.looseObject({
  sessionId: z.string(),
  team: z.string(),
  agent: z.string(),
  model: z.string(),
  mode: PermissionMode,
  cwd: z.string(),
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
  end: z.optional(z.string()),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** The part of the home that sessions are in, which must exist. */
export interface SessionHome {
  session(id: string): {
    readonly root: string;
    readonly record: string;
    readonly agents: string;
    readonly tasks: string;
    readonly notices: string;
  };
}

/** Makes a session's folders and record; on an existing session only the record is new. */
export async function createSession(home: SessionHome, record: SessionRecord): Promise<void> {
  const { root, record: path, agents, tasks, notices } = home.session(checkSessionId(record.sessionId));
  for (const folder of [root, agents, tasks, notices]) await makeFolder(folder);
  await writeJson(path, SessionRecord.parse(record));
}

export async function readSession(home: SessionHome, id: string): Promise<SessionRecord | undefined> {
  return readJson(home.session(checkSessionId(id)).record, SessionRecord);
}

/** For the session's own process. @throws UserError where there is no such session. */
export async function updateSession(
  home: SessionHome,
  id: string,
  change: Partial<SessionRecord>,
): Promise<SessionRecord> {
  const before = await readSession(home, id);
  if (!before) throw new UserError(`There is no session ${id}: no file ${home.session(id).record}.`);
  const after = SessionRecord.parse({ ...before, ...change });
  await writeJson(home.session(id).record, after);
  return after;
}

/** @throws UserError for what is not a UUID: it becomes part of a path. */
function checkSessionId(id: string): string {
  if (!isUuid(id)) throw new UserError(`${JSON.stringify(id)} is not the id of a session: it must be a UUID.`);
  return id;
}
