import type { TaskRegistry } from '../../agent/background/background.js';
import type { Tool } from '../../agent/tool.js';
import { MARK_VARIABLE } from '../../host/children.js';
import type { Clock } from '../../host/clock.js';
import type { TaskList } from '../../tasks/taskList.js';
import { agentIdOf } from '../../team/member.js';
import type { Launch } from '../../team/start/launch.js';
import { type AgentPort, createAgentTool } from '../../tools/agent.js';
import { type AskUser, createAskUserQuestionTool } from '../../tools/askUserQuestion.js';
import { createBashTool } from '../../tools/bash.js';
import { createEditTool } from '../../tools/edit.js';
import { globTool } from '../../tools/glob.js';
import { grepTool } from '../../tools/grep.js';
import { createNotebookEditTool } from '../../tools/notebookEdit.js';
import { createExitPlanModeTool, enterPlanModeTool, type SubmitPlan } from '../../tools/planMode.js';
import { readTool } from '../../tools/read.js';
import { createSendMessageTool, type MessagePort } from '../../tools/sendMessage.js';
import { createTaskOutputTool, createTaskStopTool, type TaskPort } from '../../tools/taskOutput.js';
import { createTaskTools } from '../../tools/tasks.js';
import { createTeamTools, type TeamPort } from '../../tools/team.js';
import { createTodoWriteTool, type Todo } from '../../tools/todoWrite.js';
import { createWebFetchTool, type WebFetchDeps } from '../../tools/webFetch.js';
import { createWebSearchTool, type SearchWeb } from '../../tools/webSearch.js';
import { createEnterWorktreeTool, createExitWorktreeTool, type WorktreePort } from '../../tools/worktree.js';
import { createWriteTool } from '../../tools/write.js';

export interface ToolsetDeps {
  readonly launch: Launch;
  /** Told of each file that an agent of this member has changed. */
  readonly onEdit: (path: string) => Promise<void>;
  readonly clock: Clock;
  readonly tasks: TaskList;
  readonly messages: MessagePort;
  readonly submitPlan: SubmitPlan;
  readonly agents: AgentPort;
  readonly running: TaskPort;
  /** For commands in the background. */
  readonly background?: Pick<TaskRegistry, 'begin'> | undefined;
  readonly folders: () => readonly string[];
  /** Whether a `cd` lasts. */
  readonly keepsCwd: boolean;
  /** The sub-agent that they are for. */
  readonly agentId?: string | undefined;
  /** Where whole outputs go that are too long to show. */
  readonly outputFolder: string;
  readonly web: Pick<WebFetchDeps, 'isAllowedByName' | 'askSmallModel'>;
  /** Told of the agent's list of steps, where somebody looks at it. */
  readonly todosChanged?: ((todos: readonly Todo[]) => Promise<void>) | undefined;
  /** Absent where the model's service has no search. */
  readonly searchWeb?: SearchWeb | undefined;
  /** For commands, beside the member's environment. */
  readonly variables: () => Readonly<Record<string, string>>;
  readonly worktree: WorktreePort;
  /** Present for a lead. */
  readonly team?: TeamPort | undefined;
  /** Present where a person sits at the terminal. */
  readonly askUser?: AskUser | undefined;
}

/** Every tool there is, in a fixed order. What an agent has of it is `agent/toolFilter`'s matter. */
export function allTools(deps: ToolsetDeps): Tool[] {
  const { launch, clock, tasks, onEdit } = deps;
  const mark = {
    member: `${agentIdOf(launch.member, launch.team)}:${launch.generation}`,
    home: launch.home,
    ...(deps.agentId !== undefined && { agent: deps.agentId }),
  };
  return [
    createAgentTool(deps.agents),
    ...(deps.askUser ? [createAskUserQuestionTool(deps.askUser)] : []),
    createBashTool({
      clock,
      mark,
      environment: () => ({ ...launch.environment, ...deps.variables(), [MARK_VARIABLE]: mark.member }),
      outputFolder: deps.outputFolder,
      keepsCwd: deps.keepsCwd,
      background: deps.background,
      folders: deps.folders,
    }),
    createEditTool({ onEdit }),
    enterPlanModeTool,
    createEnterWorktreeTool(deps.worktree),
    createExitPlanModeTool(deps.submitPlan),
    createExitWorktreeTool(deps.worktree),
    globTool,
    grepTool,
    createNotebookEditTool({ onEdit }),
    readTool,
    createSendMessageTool(deps.messages),
    ...(deps.team ? createTeamTools(deps.team) : []),
    ...createTaskTools(tasks, { name: launch.member, generation: launch.generation }),
    createTaskOutputTool(deps.running),
    createTaskStopTool(deps.running),
    createTodoWriteTool(deps.todosChanged),
    createWebFetchTool({ clock, ...deps.web }),
    ...(deps.searchWeb ? [createWebSearchTool(deps.searchWeb)] : []),
    createWriteTool({ onEdit }),
  ];
}
