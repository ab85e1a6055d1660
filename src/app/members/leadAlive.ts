import { isAlive, type ProcessRef } from '../../host/processes.js';
import { fingerprint } from '../../store/fingerprint.js';
import { withLock } from '../../store/lock.js';
import type { TeamPlace } from '../../team/messages.js';
import type { RunRecordFile } from '../../team/runRecord.js';
import { openTeamFile } from '../../team/teamFile.js';

/** A lead that is missed once or twice may be coming back at this moment. */
const LOOKS = 3;

/**
 * Whether the team still has a lead to work for. Where it has none, the member's record says that it leaves: under the
 * lock that a new lead's claim takes, so that whoever comes back to the team knows who stays.
 */
export function createLeadLook({ paths }: TeamPlace, record: RunRecordFile): () => Promise<boolean> {
  const file = openTeamFile(paths.config);
  let seen: string | undefined;
  let lead: ProcessRef | undefined;
  const hasLead = async () => {
    // Each of many members asks every few seconds: the file is read only when it is another.
    const now = fingerprint(paths.config);
    if (now === undefined || now !== seen) lead = (await file.read())?.leadProcess;
    seen = now;
    return lead !== undefined && (await isAlive(lead));
  };
  let missed = 0;
  return async () => {
    missed = (await hasLead()) ? 0 : missed + 1;
    if (missed === 0) return true;
    // A team file that is gone is a team that was taken down.
    if (!(await file.read())) return false;
    if (missed < LOOKS) return true;
    return withLock(paths.config, async () => {
      if (await hasLead()) return true;
      await record.change({ leaving: true });
      return false;
    });
  };
}
