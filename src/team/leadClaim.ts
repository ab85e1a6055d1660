import { isAlive, type ProcessRef, thisProcess } from '../host/processes.js';
import { ExitCode, UserError } from '../util/errors.js';
import { findMember, LEAD } from './member.js';
import type { TeamPlace } from './messages.js';
import { openTeamFile } from './teamFile.js';

/**
 * Makes this process, a lead that begins, the owner of its team. @throws UserError where another living process has
 * become that since the lead was started: it ends the team, or has come back to it.
 */
export async function claimAsLead({ paths, clock }: TeamPlace, leadSessionId: string): Promise<void> {
  const self = await thisProcess();
  await openTeamFile(paths.config).update(async (team) => {
    const owner = team.leadProcess;
    const starter = findMember(team, LEAD)?.reservedBy;
    if (owner && !isSame(owner, self) && !isSame(owner, starter) && (await isAlive(owner)))
      throw new UserError(
        `The team "${team.name}" is process ${owner.pid}'s by now: it was taken down, or gone on with, before its lead began.`,
        ExitCode.failed,
      );
    return { ...team, leadProcess: { ...self, claimedAt: clock.now() }, leadSessionId };
  });
}

function isSame(a: ProcessRef, b: ProcessRef | undefined): boolean {
  return a.pid === b?.pid && a.procStart === b.procStart;
}
