import { isAlive, thisProcess } from '../../host/processes.js';
import { NO_USAGE } from '../../model/usage.js';
import { withLock } from '../../store/lock.js';
import { findMember } from '../../team/member.js';
import type { TeamPlace } from '../../team/messages.js';
import { hasEnded, openRunRecord, type RunRecordFile, readRunRecord } from '../../team/runRecord.js';
import type { Launch } from '../../team/start/launch.js';
import { openTeamFile } from '../../team/teamFile.js';
import { ExitCode, UserError } from '../../util/errors.js';

/**
 * Makes this process the one owner of a member's inbox. @throws UserError when another living process is, when a later
 * start has taken its slot, or when the team is gone.
 */
export async function claimMember(
  { paths, clock }: TeamPlace,
  { member, generation, backend, team, continues }: Launch,
): Promise<RunRecordFile> {
  const self = await thisProcess();
  const path = paths.runRecord(member);
  return withLock(paths.config, async () => {
    const now = findMember(await openTeamFile(paths.config).require(), member);
    if (now?.generation !== undefined && now.generation > generation) {
      // Nobody waits for it any more: its pane is to go with it.
      throw new UserError(`"${member}" of ${team} was started anew before this process was ready.`, ExitCode.ok);
    }
    const before = await readRunRecord(path);
    const isOther = before && !hasEnded(before) && (before.pid !== self.pid || before.generation === generation);
    if (isOther && (await isAlive(before))) {
      throw new UserError(
        `"${member}" of ${team} runs already, in process ${before.pid}. It is ended with: troupe shutdown ${member} -t ${team}`,
      );
    }
    const record = openRunRecord(path, clock, {
      ...self,
      generation,
      backend,
      state: 'starting',
      turns: before?.turns ?? 0,
      tokens: before?.tokens ?? NO_USAGE,
      costUsd: before?.costUsd ?? 0,
      ...(before?.apiMs !== undefined && { apiMs: before.apiMs }),
      ...(before?.models && { models: before.models }),
      ...(continues && before?.midTurn && { midTurn: true }),
      counter: (before?.counter ?? 0) + 1,
      heartbeat: clock.now(),
    });
    await record.change({ state: 'starting' });
    return record;
  });
}
