import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../config/paths.js';
import { openMailbox } from '../mailbox/mailbox.js';
import { writeAtomic } from '../store/atomicFile.js';
import { toJson } from '../store/jsonFile.js';
import { openSpool } from '../store/spool.js';
import { fileNameOf } from '../util/names.js';
import type { TeamPlace } from './messages.js';
import type { Member } from './teamFile.js';

/**
 * Notes what there is of a member, for a start that may fail. The function returned brings all of it back: a dead
 * namesake has its mail and record again, of a new member nothing is left. `firstMessage`: the id that the start's own
 * message will have.
 */
export async function rememberFiles(
  place: TeamPlace,
  home: Home,
  { name, sessionId = '' }: Member,
  firstMessage: string,
): Promise<() => Promise<void>> {
  const { paths } = place;
  const inbox = join(paths.inboxes, fileNameOf(name));
  const mailbox = openMailbox({ team: paths, member: name, clock: place.clock, ids: place.ids });
  await mailbox.fold();
  const known = new Set((await mailbox.peek()).map(({ msg_id }) => msg_id));
  const changed = [`${inbox}.json`, `${inbox}.log.jsonl`, paths.runRecord(name), paths.launchFile(name)];
  const before = await Promise.all(
    changed.filter((path) => existsSync(path)).map(async (path) => ({ path, content: await readFile(path) })),
  );
  const made = [...changed, `${inbox}.d`, home.session(sessionId).root].filter((path) => !existsSync(path));
  const isNew = made.includes(`${inbox}.d`) && made.includes(`${inbox}.json`);

  return async () => {
    const late = isNew
      ? []
      : (await mailbox.peek()).filter(({ msg_id }) => !known.has(msg_id) && msg_id !== firstMessage);
    for (const path of made) await rm(path, { recursive: true, force: true });
    for (const { path, content } of before) await writeAtomic(path, content);
    await rm(join(mailbox.delivered, `${firstMessage}.json`), { force: true });
    await rm(join(paths.files, `${firstMessage}.txt`), { force: true });
    // Mail that others sent meanwhile is not the start's to undo.
    for (const message of late)
      await openSpool(`${inbox}.d`).deliver(`${message.msg_id}.json`, toJson({ ...message, read: false }));
  };
}
