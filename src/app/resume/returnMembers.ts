import type { TmuxBackend } from '../../panes/tmux/backend.js';
import { openTaskList } from '../../tasks/taskList.js';
import { LEAD } from '../../team/member.js';
import { sendProtocol } from '../../team/messages.js';
import { hasEnded, liveRecord, readRunRecord, writeRunRecord } from '../../team/runRecord.js';
import { livingRecord, shutdownMember } from '../../team/shutdown.js';
import { type StartDeps, startMember } from '../../team/start/lifecycle.js';
import type { Member, TeamFile } from '../../team/teamFile.js';
import { messageOf } from '../../util/errors.js';
import { several } from '../../util/several.js';
import { againRequest } from '../start/again.js';
import { STARTS_AT_ONCE } from '../start/startTeam.js';

/** How a member came back. */
export type Returned =
  | { readonly name: string; readonly how: 'alive' | 'restarted' | 'dismissed' }
  | { readonly name: string; readonly how: 'gone'; readonly because: string };

export interface ReturnOptions {
  readonly deps: StartDeps;
  readonly team: TeamFile;
  /** The tmux that members may still live in. */
  readonly before: TmuxBackend | undefined;
  /** Whether the team goes on in that same tmux. */
  readonly isReopened: boolean;
  readonly members: readonly Member[];
  readonly progress: (line: string) => void;
}

/** How long a member that leaves may finish its tool call: as long as it would take without us. */
const LEAVING_MS = 30_000;

/** Keeps the members that live, and starts the others again from their transcripts. One that cannot be is told of. */
export async function returnMembers({ members, ...options }: ReturnOptions): Promise<Returned[]> {
  return several(members, STARTS_AT_ONCE, (member) => returnMember(member, options));
}

async function returnMember(member: Member, options: Omit<ReturnOptions, 'members'>): Promise<Returned> {
  const { deps, team, before, progress } = options;
  const { place, backend, home } = deps;
  const { name } = member;
  if (member.dismissed) return { name, how: 'dismissed' };
  if (await stays(member, options)) return { name, how: 'alive' };
  try {
    const former = { place, home: home.root, backend: before ?? backend, sender: { from: 'user' } };
    await shutdownMember(former, team, member, { graceMs: 0, force: true });
    await noteTold(options, name);
    await startMember(deps, againRequest(member, team, deps.settings));
    return { name, how: 'restarted' };
  } catch (error) {
    const because = messageOf(error);
    progress(`${name} cannot come back: ${because}`);
    await openTaskList(place.paths.tasks).releaseOf(name);
    await sendProtocol(place, { from: name }, LEAD, 'teammate_exited', {
      name,
      code: null,
      signal: 'SIGKILL',
      forced: false,
      lastText: `It could not be started again: ${because}`,
    });
    return { name, how: 'gone', because };
  }
}

/** Whether it lives where the team goes on, and did not decide to leave while there was no lead. */
async function stays(member: Member, { deps, isReopened }: Omit<ReturnOptions, 'members'>): Promise<boolean> {
  const { place } = deps;
  const { clock } = place;
  const record = await livingRecord(place, member.name);
  if (!record || record.backend === 'in-process') return false;
  if (!record.leaving) return isReopened;
  const until = clock.monotonic() + LEAVING_MS;
  while ((await livingRecord(place, member.name)) && clock.monotonic() < until) await clock.sleep(50);
  return false;
}

/** The lead that comes is not told of an end that is mended. */
async function noteTold({ deps: { place } }: Omit<ReturnOptions, 'members'>, name: string): Promise<void> {
  const path = place.paths.runRecord(name);
  const record = await readRunRecord(path);
  if (!record) return;
  const live = await liveRecord(record);
  if (hasEnded(live)) await writeRunRecord(path, { ...record, state: live.state, endTold: true });
}
