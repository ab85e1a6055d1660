import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { openMailbox } from '../../src/mailbox/mailbox.js';
import { tempDir } from '../helpers/tempDir.js';

/** The mail folders of a team in a temporary folder, and a way to open inboxes in them as a new process would. */
export async function mailFolders() {
  const dir = await tempDir();
  const team = { inboxes: join(dir.path, 'inboxes'), files: join(dir.path, 'files') };
  await mkdir(team.inboxes);
  await mkdir(team.files);
  return {
    team,
    array: (member: string) => join(team.inboxes, `${member}.json`),
    open: (member: string, onProblem?: (problem: string) => void) =>
      openMailbox({ team, member, clock: systemClock, ids: systemIds, ...(onProblem && { onProblem }) }),
    [Symbol.asyncDispose]: dir[Symbol.asyncDispose],
  };
}
