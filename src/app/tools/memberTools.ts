import type { Arrivals } from '../../agent/arrivals.js';
import type { Spending } from '../../agent/events.js';
import type { Tool } from '../../agent/tool.js';
import type { SessionPaths } from '../../config/paths.js';
import type { ModelClient } from '../../model/types.js';
import { noteEdit } from '../../team/edits.js';
import type { Launch } from '../../team/start/launch.js';
import type { AgentCall } from '../../tools/agent.js';
import type { AskUser } from '../../tools/askUserQuestion.js';
import type { SubmitPlan } from '../../tools/planMode.js';
import type { MessagePort } from '../../tools/sendMessage.js';
import type { TeamPort } from '../../tools/team.js';
import type { MemberHooks } from '../hooks/memberHooks.js';
import type { World } from '../services.js';
import type { SessionParts } from '../session/sessionGround.js';
import type { MemberTasks } from '../subagents/memberTasks.js';
import type { ToolScope } from '../subagents/subagent.js';
import { hasBackground } from '../subagents/subagentSettings.js';
import { createOwnWorktree } from './ownWorktree.js';
import { createSearchPort } from './searchPort.js';
import { allTools } from './toolset.js';
import { createWebPort, type WebPortOptions } from './webPort.js';

/** Whom a member's tools reach. */
export interface Reach {
  readonly messages: MessagePort;
  readonly submitPlan: SubmitPlan;
  /** Absent where no teammates may be made: the roster is flat. */
  readonly teammates?: ((call: AgentCall) => Promise<string>) | undefined;
  /** Present for a lead: its team as a whole. */
  readonly team?: TeamPort | undefined;
  /** Present where a person sits at its terminal. */
  readonly askUser?: AskUser | undefined;
  /** Its own alone, and no sub-agent's. */
  readonly answerTool?: Tool | undefined;
}

export interface MemberToolsOptions {
  readonly world: Pick<World, 'clock' | 'run' | 'ids'>;
  readonly launch: Launch;
  readonly parts: Pick<SessionParts, 'place' | 'record' | 'settings'>;
  /** With messages that reach the member's sub-agents too. */
  readonly reach: Pick<Reach, 'messages' | 'submitPlan' | 'team' | 'askUser'>;
  readonly session: Pick<SessionPaths, 'tasks'>;
  readonly hooked: Pick<MemberHooks, 'tasksFor' | 'worktrees' | 'variables'>;
  readonly running: Pick<MemberTasks, 'port' | 'registry'>;
  readonly arrivals: Pick<Arrivals, 'add'>;
  readonly client: ModelClient;
  /** `troupe:<team>:<member>`. */
  readonly userId: string;
  readonly allowRules: WebPortOptions['allowRules'];
  /** Counts what a small model costs. */
  readonly spent: (response: Spending) => Promise<void>;
  /** The folders that worktrees have opened to agents of this session. */
  readonly opened: Set<string>;
}

/** The built-in tools of a member and of its sub-agents, each bound to whoever has it. */
export function createMemberTools(options: MemberToolsOptions): (scope: ToolScope) => readonly Tool[] {
  const { world, launch, parts, reach, session, hooked, running, arrivals, client, userId, spent, opened } = options;
  const { settings, environment } = launch;
  const web = createWebPort({ client, userId, allowRules: options.allowRules, spent });
  const searchWeb = createSearchPort({ client, userId, environment, spent });
  const bare = ({ folder, keepsCwd, agentId, agents }: ToolScope) =>
    allTools({
      ...reach,
      launch,
      async onEdit(path) {
        const text = await noteEdit(parts.place, launch.member, path);
        // Not by mail: it is read behind the result of this very call.
        if (text) arrivals.add({ text, from: 'other', mail: [], wakes: false });
      },
      clock: world.clock,
      tasks: hooked.tasksFor(agentId),
      variables: () => hooked.variables(),
      folders: () => [folder, ...parts.settings().folders, ...opened],
      keepsCwd,
      agentId,
      outputFolder: session.tasks,
      agents,
      running: running.port,
      // A sub-agent's commands end with it.
      background: agentId === undefined && hasBackground(launch) ? running.registry : undefined,
      web,
      searchWeb,
      todosChanged: agentId === undefined ? (todos) => parts.record.change({ todos: [...todos] }) : undefined,
      worktree: createOwnWorktree({
        run: world.run,
        ids: world.ids,
        agent: agentId ?? launch.member,
        settings: settings.worktree,
        hooks: hooked.worktrees,
        opened,
      }),
    });
  return (scope) => scope.knowledge?.equip(bare(scope), scope.agents) ?? bare(scope);
}
