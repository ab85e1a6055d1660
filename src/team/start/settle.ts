import { isAlive } from '../../host/processes.js';
import type { Backend } from '../../panes/backend.js';
import { openEventLog } from '../eventLog.js';
import { findMember } from '../member.js';
import type { TeamPlace } from '../messages.js';
import { hasEnded, liveRecord, readRunRecord } from '../runRecord.js';
import { changeMember, type Member, openTeamFile } from '../teamFile.js';

/** A member that runs although whoever started it died first is written down, and is a member like any other from then on. */
export async function settleLeftStarts(
  place: TeamPlace,
  backend: Backend,
  file = openTeamFile(place.paths.config),
): Promise<void> {
  const team = await file.read();
  if (!team) return;
  for (const member of team.members) {
    if (!(await isLeftRunning(place, member))) continue;
    const pane = await backend.find({ team: team.name, member: member.name });
    if (!pane) continue;
    const settled = { isOurs: false };
    await file.update((current) => {
      const now = findMember(current, member.name);
      settled.isOurs = now?.reservedBy !== undefined && now.generation === member.generation;
      if (!settled.isOurs) return current;
      return changeMember(current, member.name, ({ reservedBy: _, ...rest }) => ({
        ...rest,
        tmuxPaneId: pane.paneId,
        backendType: backend.type,
        ownsPane: pane.ownsPane,
        ...(pane.windowId && { windowId: pane.windowId }),
      }));
    });
    if (!settled.isOurs) continue;
    await openEventLog(place.paths.events, place.clock).append('spawned', {
      member: member.name,
      backend: backend.type,
      pane: pane.paneId,
      generation: member.generation,
    });
  }
}

async function isLeftRunning({ paths }: TeamPlace, { name, generation, reservedBy }: Member): Promise<boolean> {
  if (!reservedBy || (await isAlive(reservedBy))) return false;
  const record = await readRunRecord(paths.runRecord(name));
  if (record?.generation !== generation || record?.readyAt === undefined) return false;
  return !hasEnded(await liveRecord(record));
}
