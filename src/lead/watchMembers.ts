import { endMarked } from '../host/children.js';
import { isAlive } from '../host/processes.js';
import type { PaneEnd } from '../panes/backend.js';
import type { TaskList } from '../tasks/taskList.js';
import type { EventLog } from '../team/eventLog.js';
import { LEAD } from '../team/member.js';
import { sendProtocol, type TeamPlace } from '../team/messages.js';
import { createRecordReader, liveRecord, type RunRecord, readRunRecord, writeRunRecord } from '../team/runRecord.js';
import type { Member, TeamFile } from '../team/teamFile.js';
import { tail } from '../util/text.js';

/** UTF-16 units of a dead member's last words that its lead is told. */
const LAST_TEXT = 1000;

export interface WatchDeps {
  readonly place: TeamPlace;
  /** `$TROUPE_HOME`: the marks of its children carry it. */
  readonly home: string;
  readonly team: () => Promise<TeamFile | undefined>;
  readonly tasks: TaskList;
  readonly events: EventLog;
  /** How the process of a member ended that did not say so itself, where that is known. */
  readonly endOf?: (member: Member) => Promise<PaneEnd | undefined>;
  /** Sees every record, once a look. */
  readonly show: (members: readonly { readonly name: string; readonly record: RunRecord }[]) => Promise<void>;
}

/**
 * One look at all teammates: tells the lead, once, of each that has ended, and clears up after one that died: its
 * record, its claims, its children.
 */
export function createMemberWatch({ place, home, team, tasks, events, endOf, show }: WatchDeps): () => Promise<void> {
  const told = new Set<string>();
  const readRecord = createRecordReader();
  return async () => {
    const current = await team();
    const seen: { name: string; record: RunRecord }[] = [];
    for (const member of current?.members ?? []) {
      const { name, reservedBy } = member;
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
      // A pane that cannot be asked keeps nobody from hearing of the death.
      const end = died ? await endOf?.(member).catch(() => undefined) : undefined;
      const exit = live.exit ?? { code: end?.code ?? null, signal: end?.signal ?? null, forced: false };
      if (died && current) await clearUp(current.name, name, { ...live, exit });
      await tasks.releaseOf(name);
      const lastText = end?.lastLines && tail(end.lastLines, LAST_TEXT);
      const { code, signal, forced } = exit;
      const words = { name, code, signal, forced, ...(lastText && { lastText }) };
      await sendProtocol(place, { from: name }, LEAD, 'teammate_exited', words);
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
