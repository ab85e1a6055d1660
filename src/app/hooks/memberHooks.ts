import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { TaskRecord } from '../../agent/background/taskRecord.js';
import { withEndHooks } from '../../agent/hooks.js';
import type { AgentRun } from '../../agent/runAgent.js';
import type { SessionPaths } from '../../config/paths.js';
import type { TurnEdges } from '../../member/member.js';
import type { TaskList } from '../../tasks/taskList.js';
import type { Launch } from '../../team/start/launch.js';
import { messageOf } from '../../util/errors.js';
import { oneLine } from '../../util/text.js';
import type { WorktreeHooks } from '../../worktree/worktree.js';
import type { World } from '../services.js';
import { hooksPort, memberEndHooks } from './agentHooks.js';
import type { SessionHooks } from './sessionHooks.js';
import { createSubagentHooks, type SubagentHooks } from './subagentHooks.js';
import { hookedTasks } from './taskHooks.js';
import { worktreeHooks } from './worktreeHooks.js';

export interface MemberHooksOptions {
  readonly world: World;
  readonly launch: Launch;
  readonly session: Pick<SessionPaths, 'agents' | 'hookVariables'>;
  readonly hooks: SessionHooks;
  readonly tasks: TaskList;
  readonly edges: TurnEdges;
  /** Ends the member. */
  readonly leave: () => void;
}

/** A member's hooks, as the parts of its agent need them. */
export interface MemberHooks {
  readonly subagents: SubagentHooks;
  readonly worktrees: WorktreeHooks | undefined;
  /** The task list, for the tools of the member or of one of its sub-agents. */
  tasksFor(agentId: string | undefined): TaskList;
  /** `SessionStart`: what the model is told at the beginning, or after its conversation was shortened. */
  started(source: 'startup' | 'resume' | 'compact'): Promise<string[]>;
  /** What `SessionStart` hooks have set for the commands of this session. */
  variables(): Readonly<Record<string, string>>;
  /** For the loop. `running`: the session's tasks. */
  ofRun(running: () => readonly TaskRecord[]): Pick<AgentRun, 'hooks' | 'next'>;
}

export function joinHooks({ world, launch, session, hooks, tasks, edges, leave }: MemberHooksOptions): MemberHooks {
  const { settings, team, environment, sessionId, member } = launch;
  const hasPerson = settings.permissionTimeoutMs > 0;
  const subagents = createSubagentHooks(hooks, { agents: session.agents, hasPerson, clock: world.clock });
  const asTeammate = {
    hasMore: () => edges.arrivals.wakes(),
    leave,
    tasksInProgress: async () =>
      (await tasks.list()).filter(({ status, owner }) => status === 'in_progress' && owner === member),
  };
  let variables: Readonly<Record<string, string>> = {};
  const withVariables = async <T>(source: string, fire: (set: Record<string, string>) => Promise<T>): Promise<T> => {
    const file = session.hookVariables;
    // What an earlier run of this session has set its hooks set anew.
    if (source !== 'compact') await rm(file, { force: true });
    const answer = await fire({ CLAUDE_ENV_FILE: file });
    if (!existsSync(file)) return answer;
    const { variablesIn } = await import('../../hooks/envFile.js');
    variables = await variablesIn(file, environment, launch.cwd).catch((error: unknown) => {
      hooks.note(`What hooks wrote into CLAUDE_ENV_FILE does not count: ${oneLine(messageOf(error), 300)}`);
      return variables;
    });
    return answer;
  };
  return {
    subagents,
    variables: () => variables,
    worktrees: worktreeHooks(world, { settings, team, environment, sessionId }),
    tasksFor: (agentId) => hookedTasks(tasks, hooks, () => subagents.agentOf(agentId), leave),
    async started(source) {
      const fields = { source, model: launch.model };
      const { context } = await withVariables(source, (set) =>
        hooks.fire(hooks.main(), { event: 'SessionStart', subject: source, fields, variables: set }),
      );
      hooks.begun();
      return context === undefined ? [] : [`<hook>\n${context}\n</hook>`];
    },
    ofRun(running) {
      if (!hooks.concern(hooks.main())) return {};
      const atEnd = memberEndHooks(hooks, member, launch.role === 'teammate' ? asTeammate : undefined, running);
      return {
        hooks: hooksPort({ hooks, agent: () => hooks.main(), hasPerson }),
        next: withEndHooks(edges.next, atEnd, edges.turnSignal, edges.drain),
      };
    },
  };
}
