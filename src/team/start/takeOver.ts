import { isAlive, thisProcess } from '../../host/processes.js';
import { UserError } from '../../util/errors.js';
import type { TeamPlace } from '../messages.js';
import { openTeamFile, type TeamFile } from '../teamFile.js';

/** Makes this process the owner of a team whose lead is dead. @throws UserError that says whose it is where it lives. */
export async function takeOver({ paths, clock }: TeamPlace): Promise<TeamFile> {
  const file = openTeamFile(paths.config);
  const leadProcess = { ...(await thisProcess()), claimedAt: clock.now() };
  for (;;) {
    const seen = await file.require();
    const owner = seen.leadProcess;
    if (owner && (await isAlive(owner))) throw new UserError(runsWords(seen.name, owner.pid));
    const claim = { isOurs: false };
    const after = await file.update((team) => {
      // Two may come back to it at once: the lock lets one of them through.
      claim.isOurs = team.leadProcess?.pid === owner?.pid && team.leadProcess?.procStart === owner?.procStart;
      return claim.isOurs ? { ...team, leadProcess } : team;
    });
    if (claim.isOurs) return after;
  }
}

/** Why nobody can come back to a team: its lead lives, in this process. */
export function runsWords(team: string, pid: number): string {
  return `The team "${team}" runs: its lead lives in process ${pid}. Look at it with "troupe attach -t ${team}", start a member that died again with "troupe restart MEMBER -t ${team}", or end the team with "troupe down ${team}".`;
}
