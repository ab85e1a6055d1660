import type { SessionPaths } from '../../config/paths.js';
import { isResting, type MemberSnapshot, type Snapshot } from '../../headless/quiet.js';
import { openMailbox } from '../../mailbox/mailbox.js';
import { blockersOf } from '../../tasks/task.js';
import { openTaskList } from '../../tasks/taskList.js';
import { LEAD } from '../../team/member.js';
import type { TeamPlace } from '../../team/messages.js';
import { openRequests } from '../../team/requests.js';
import { createRecordReader, hasEnded, liveRecord, readRunRecord } from '../../team/runRecord.js';
import { openTeamFile } from '../../team/teamFile.js';
import { openTasksIn } from '../../transcript/taskFiles.js';

/**
 * Asks whether somebody of a team is at work, which is all that there is to know of it then. Costs a file where the same
 * one still is.
 */
export function createWorkLook({ paths }: Pick<TeamPlace, 'paths'>): () => Promise<boolean> {
  const file = openTeamFile(paths.config);
  const read = createRecordReader();
  let last = LEAD;
  const works = async (name: string) => {
    const record = await read(paths.runRecord(name));
    if (!record || isResting(record)) return false;
    return !hasEnded(await liveRecord(record));
  };
  return async () => {
    if (await works(last)) return true;
    for (const { name } of (await file.require()).members) {
      if (name === last || !(await works(name))) continue;
      last = name;
      return true;
    }
    return false;
  };
}

/** Everything on disk that says whether a team is still at work. */
export async function takeSnapshot(place: TeamPlace, home: { session(id: string): SessionPaths }): Promise<Snapshot> {
  const { paths, clock, ids } = place;
  const team = await openTeamFile(paths.config).require();
  const members = await Promise.all(
    team.members.map(async ({ name }): Promise<MemberSnapshot> => {
      const unread = await openMailbox({ team: paths, member: name, clock, ids }).waiting();
      const record = await readRunRecord(paths.runRecord(name));
      if (!record) return { name, isLead: name === LEAD, state: 'starting', counter: 0, unread };
      const live = await liveRecord(record);
      const { state, waitingFor, counter } = live;
      const isUntold = name !== LEAD && hasEnded(live) && live.endTold !== true;
      return { name, isLead: name === LEAD, state, waitingFor, counter, unread, isUntold };
    }),
  );
  const tasks = await openTaskList(paths.tasks).list();
  const background = await Promise.all(
    team.members.map(async ({ name, sessionId }) => {
      const state = members.find((member) => member.name === name)?.state;
      if (sessionId === undefined || state === 'exited' || state === 'terminated') return 0;
      return openTasksIn(home.session(sessionId));
    }),
  );
  return {
    members,
    requests: (await openRequests(paths.requests, clock).open()).map(({ id, kind, from }) => ({ id, kind, from })),
    tasks: tasks.map((task) => {
      const { id, subject, status, owner, ownerGeneration } = task;
      const takeable =
        status === 'pending' &&
        blockersOf(task, tasks).length === 0 &&
        (owner === undefined || ownerGeneration === undefined);
      return { id, subject, status, owner, takeable };
    }),
    background: background.reduce((sum, count) => sum + count, 0),
  };
}
