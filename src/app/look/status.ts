import { isAlive } from '../../host/processes.js';
import { openTaskList } from '../../tasks/taskList.js';
import { isHidden } from '../../team/hidden.js';
import { LEAD } from '../../team/member.js';
import { liveRecord, type MemberState, type RunRecord, readRunRecord } from '../../team/runRecord.js';
import type { TeamFile } from '../../team/teamFile.js';
import type { World } from '../services.js';
import { stateOf, type TeamState } from './teams.js';

/** A member's run record, and what the TeamFile says of it. */
export type MemberStatus = Partial<RunRecord> & {
  readonly name: string;
  readonly state: MemberState;
  readonly pane?: string;
  /** A person has put its pane away. */
  readonly hidden?: boolean;
  readonly color?: string;
  readonly runtime: string;
  readonly model: string;
  readonly mode: string;
  readonly worktree?: string;
};

export interface TeamStatus {
  readonly team: string;
  readonly state: TeamState;
  readonly lead: { readonly name: string; readonly pid?: number; readonly alive: boolean };
  readonly tmux?: TeamFile['tmux'];
  readonly members: readonly MemberStatus[];
  readonly tasks: { readonly pending: number; readonly in_progress: number; readonly completed: number };
}

/** A team as it is at this moment, read from its files and its processes: no lead need be alive for it. */
export async function statusOf(world: Pick<World, 'home'>, team: TeamFile): Promise<TeamStatus> {
  const paths = world.home.team(team.name);
  const members = await Promise.all(
    team.members.map(async (member): Promise<MemberStatus> => {
      const {
        name,
        tmuxPaneId,
        color,
        worktreePath,
        backendType,
        runtime = 'troupe',
        model = '',
        mode = 'default',
      } = member;
      const record = await readRunRecord(paths.runRecord(name));
      const live = record ? await liveRecord(record) : { state: 'starting' as const };
      return {
        name,
        ...live,
        ...(tmuxPaneId !== '' && { pane: tmuxPaneId }),
        ...(isHidden(team, member) && { hidden: true }),
        ...(color && { color }),
        backend: (backendType !== 'in-process' ? backendType : undefined) ?? record?.backend ?? 'in-process',
        runtime,
        model,
        mode,
        ...(worktreePath && { worktree: worktreePath }),
      };
    }),
  );
  const tasks = await openTaskList(paths.tasks).list();
  const count = (status: string) => tasks.filter((task) => task.status === status).length;
  return {
    team: team.name,
    state: await stateOf(world, team),
    lead: {
      name: LEAD,
      ...(team.leadProcess && { pid: team.leadProcess.pid }),
      alive: team.leadProcess !== undefined && (await isAlive(team.leadProcess)),
    },
    ...(team.tmux && { tmux: team.tmux }),
    members,
    tasks: { pending: count('pending'), in_progress: count('in_progress'), completed: count('completed') },
  };
}
