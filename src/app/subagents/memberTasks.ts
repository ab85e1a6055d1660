import type { Arrival } from '../../agent/arrivals.js';
import { createTaskRegistry, type TaskRegistry } from '../../agent/background/background.js';
import type { AgentEvent } from '../../agent/events.js';
import type { AgentRun } from '../../agent/runAgent.js';
import { endMarked } from '../../host/children.js';
import { within } from '../../host/clock.js';
import type { TurnEdges } from '../../member/member.js';
import { withSpent } from '../../member/spent.js';
import { parseRule } from '../../permissions/rule.js';
import { agentIdOf, findMember } from '../../team/member.js';
import { readRunRecord } from '../../team/runRecord.js';
import type { Launch } from '../../team/start/launch.js';
import type { MessagePort } from '../../tools/sendMessage.js';
import type { TaskPort } from '../../tools/taskOutput.js';
import { deliveredMail } from '../../transcript/resume.js';
import { openTaskFiles } from '../../transcript/taskFiles.js';
import { withDreams } from '../dream/withDreams.js';
import type { World } from '../services.js';
import type { Ground } from '../session/sessionGround.js';
import { createIsolation } from './isolation.js';
import type { AgentParent, SubagentDeps } from './subagent.js';
import { subagentSettings } from './subagentSettings.js';
import { createSubagents, type Subagents, type SubagentsDeps } from './subagents.js';
import { memberStandText } from './subagentWords.js';
import { createTaskPort } from './taskPort.js';
import { recoverTasks, taskStore } from './taskStore.js';

export interface MemberTasksOptions
  extends Pick<
      SubagentDeps,
      | 'client'
      | 'toolsFor'
      | 'gateFor'
      | 'hooks'
      | 'environment'
      | 'gitNote'
      | 'knowledgeOf'
      | 'session'
      | 'userId'
      | 'withServers'
    >,
    Pick<SubagentsDeps, 'agents' | 'teammate' | 'mcpServers' | 'classify'> {
  readonly world: World;
  readonly launch: Launch;
  readonly ground: Ground;
  readonly edges: TurnEdges;
  readonly messages: MessagePort;
  readonly onEvent: (event: AgentEvent) => void;
}

/** What runs beside a member's conversation. */
export interface MemberTasks {
  readonly subagents: Subagents;
  readonly registry: TaskRegistry;
  /** For TaskOutput and TaskStop. */
  readonly port: TaskPort;
  /** SendMessage, which reaches the member's sub-agents too. */
  messagesOf(self: () => AgentParent): MessagePort;
  /** The run, which looks at the end of each turn whether the project's memory is to be put in order. */
  dreaming(run: AgentRun): AgentRun;
  /** To be told of what has reached the transcript. */
  delivered(arrivals: readonly Arrival[]): Promise<void>;
}

/** An agent that takes longer shows what it does as what its member does. */
const SHOWN_AFTER_MS = 2000;

/** Opens it: what an earlier process of this session left running is lost, and its notices arrive. */
export async function openMemberTasks(options: MemberTasksOptions): Promise<MemberTasks> {
  const { world, launch, ground, edges, messages, onEvent, session, knowledgeOf } = options;
  const { parts, entries } = ground;
  const { record } = parts;
  const { clock, ids } = world;
  const settings = subagentSettings(launch);
  const files = openTaskFiles(session);
  const startedBefore = (await files.tasks()).filter(({ type }) => type === 'agent').map(({ toolUseId }) => toolUseId);
  for (const notice of await recoverTasks(files, clock, deliveredMail(entries))) edges.arrivals.add(notice);

  const registry = createTaskRegistry({
    clock,
    within,
    ids,
    store: taskStore(session, settings.maxOutputBytes),
    tell: (arrival) => edges.arrivals.add(arrival),
    onEvent(event) {
      onEvent(event);
      const { backgrounded, startedAt, progress } = event.task;
      if (event.type !== 'task_progress' || backgrounded || clock.now() - startedAt < SHOWN_AFTER_MS) return;
      if (progress.lastActivity) record.change({ activity: `Agent: ${progress.lastActivity}` }).catch(() => {});
    },
    onProblem: (problem) => {
      parts.events.append('task_problem', { member: launch.member, problem }).catch(() => {});
    },
  });
  const member = `${agentIdOf(launch.member, launch.team)}:${launch.generation}`;
  const subagents = createSubagents({
    ...options,
    clock,
    ids,
    settings,
    registry,
    files,
    startedBefore,
    sessionId: launch.sessionId,
    variables: launch.environment,
    team: launch.team,
    isolation: createIsolation(world.run, launch.settings.worktree, options.hooks?.worktrees),
    ...(knowledgeOf && {
      async knowledgeOf(knower) {
        const knows = await knowledgeOf(knower);
        const characters = knows.notes?.text.length ?? 0;
        if (characters > 0) parts.telemetry?.happened({ name: 'memory_loaded', scope: 'agent', characters });
        return knows;
      },
    }),
    async onStart(record, beside) {
      if (parts.telemetry) {
        const { telemetry } = parts;
        const [whole, { agents }] = await Promise.all([files.findAgent(record.agentId), options.agents()]);
        const isBackground = registry.find(record.agentId)?.record().backgrounded === true;
        if (whole) telemetry.selected(whole, { definition: agents.get(record.agentType), isBackground });
      }
      return (await options.hooks?.subagents.started(record, beside)) ?? (async () => {});
    },
    maxTurns: launch.settings.maxTurns,
    denyRules: () =>
      [
        ...parts.settings().deny,
        ...(parts.team().teamRules ?? []).flatMap(({ behavior, rule }) => (behavior === 'deny' ? [rule] : [])),
      ].map((rule) => parseRule(rule)),
    isMember: (name) => findMember(parts.team(), name) !== undefined,
    spent: (response) => record.change(withSpent(record.current(), response)),
    endChildren: async (agent) => void (await endMarked({ member, home: launch.home, agent }, clock)),
  });
  parts.beside.toBackground = async () => {
    if (settings.background !== 'on') return 'There is no background here.';
    const waitedFor = registry.all().filter((task) => {
      const { status, backgrounded } = task.record();
      return status === 'running' && !backgrounded;
    });
    for (const task of waitedFor) await task.moveToBackground();
    const names = waitedFor.map((task) => task.record().description);
    return names.length === 0 ? 'No agent is waited for.' : `In the background from now on: ${names.join(', ')}`;
  };
  return {
    subagents,
    registry,
    port: createTaskPort({
      registry,
      clock,
      standOf: async (name) => {
        if (!findMember(parts.team(), name)) return undefined;
        return memberStandText(name, await readRunRecord(world.home.team(launch.team).runRecord(name)));
      },
      ...(launch.role === 'lead' && {
        shutDown: async (name) =>
          findMember(parts.team(), name) ? messages.shutdownRequest(name, 'Stopped by TaskStop.') : undefined,
      }),
    }),
    messagesOf: (self) => ({
      ...messages,
      prose: async (to, text, summary) => {
        parts.telemetry?.happened({ name: 'message_sent', broadcast: to === '*', characters: text.length });
        return (await subagents.tell(self(), to, text, edges.turnSignal())) ?? messages.prose(to, text, summary);
      },
    }),
    dreaming: (run) => (launch.role === 'lead' && launch.settings.autoDream ? withDreams(run, options, registry) : run),
    async delivered(arrivals) {
      await registry.delivered(arrivals);
      await edges.delivered(arrivals);
    },
  };
}
