import { endMarked } from '../host/children.js';
import { isAlive } from '../host/processes.js';
import type { TaskList } from '../tasks/taskList.js';
import type { EventLog } from '../team/eventLog.js';
import { LEAD } from '../team/member.js';
import { sendProtocol, type TeamPlace } from '../team/messages.js';
import { createRecordReader, liveRecord, type RunRecord, readRunRecord, writeRunRecord } from '../team/runRecord.js';
import type { TeamFile } from '../team/teamFile.js';

export interface WatchDeps {
  readonly place: TeamPlace;
  /** `$TROUPE_HOME`: the marks of its children carry it. */
  readonly home: string;
  readonly team: () => Promise<TeamFile | undefined>;
  readonly tasks: TaskList;
  readonly events: EventLog;
  /** Sees every record, once a look. */
  readonly show: (members: readonly { readonly name: string; readonly record: RunRecord }[]) => Promise<void>;
}

/**
 * One look at all teammates: tells the lead, once, of each that has ended, and clears up after one that died: its
 * record, its claims, its children.
 */
export function createMemberWatch({ place, home, team, tasks, events, show }: WatchDeps): () => Promise<void> {
  const told = new Set<string>();
  const readRecord = createRecordReader();
  return async () => {
    const current = await team();
    const seen: { name: string; record: RunRecord }[] = [];
    for (const { name, reservedBy } of current?.members ?? []) {
      // Whoever is starting it deals with its end.
      if (reservedBy && (await isAlive(reservedBy))) continue;
      const record = await readRecord(place.paths.runRecord(name));
      if (!record) continue;
      const live = await liveRecord(record);
      seen.push({ name, record: live });
      const key = `${name}:${record.generation}`;
      if (name === LEAD || (live.state !== 'exited' && live.state !== 'terminated') || told.has(key)) continue;
      if (record.endTold) continue;
      told.add(key);
      const died = record.state !== 'exited' && record.state !== 'terminated';
      if (died && current)
        await clearUp(current.name, name, { ...live, exit: live.exit ?? { code: null, signal: null, forced: false } });
      await tasks.releaseOf(name);
      const { code, signal, forced } = live.exit ?? { code: null, signal: null, forced: false };
      await sendProtocol(place, { from: name }, LEAD, 'teammate_exited', { name, code, signal, forced });
      await noteTold(place.paths.runRecord(name), record.generation);
    }
    await show(seen);
  };

  async function noteTold(path: string, generation: number): Promise<void> {
    const latest = await readRunRecord(path);
    if (latest?.generation === generation) await writeRunRecord(path, { ...latest, endTold: true });
  }

  async function clearUp(teamName: string, name: string, record: RunRecord): Promise<void> {
    await writeRunRecord(place.paths.runRecord(name), { ...record, state: 'terminated' });
    await events.append('terminated', { member: name });
    await endMarked({ member: `${name}@${teamName}:${record.generation}`, home }, place.clock);
  }
}
