import { createCompaction } from '../../agent/compaction.js';
import type { AgentEvent } from '../../agent/events.js';
import { createGate } from '../../agent/gate.js';
import { introduction } from '../../agent/introduction.js';
import type { AgentState } from '../../agent/ports.js';
import type { AgentRun } from '../../agent/runAgent.js';
import { type Environment, systemPrompt } from '../../agent/systemPrompt.js';
import type { Tool } from '../../agent/tool.js';
import { filterTools } from '../../agent/toolFilter.js';
import { type AgentDefinition, whenToUse } from '../../definitions/agent.js';
import { requireAgent } from '../../definitions/load.js';
import type { TurnEdges } from '../../member/member.js';
import { withSpent } from '../../member/spent.js';
import { modelFacts } from '../../model/catalogue.js';
import type { Effort, ModelRequest } from '../../model/types.js';
import type { Launch } from '../../team/launch.js';
import { LEAD } from '../../team/member.js';
import type { AgentCall } from '../../tools/agent.js';
import type { AskUser } from '../../tools/askUserQuestion.js';
import type { SubmitPlan } from '../../tools/planMode.js';
import type { MessagePort } from '../../tools/sendMessage.js';
import { createReadLedger } from '../../tools/support/readLedger.js';
import { historyOf } from '../../transcript/resume.js';
import { git, isRepository } from '../../worktree/git.js';
import type { World } from '../services.js';
import { openMemberTasks } from '../subagents/memberTasks.js';
import type { AgentParent, ToolScope } from '../subagents/subagent.js';
import { hasBackground } from '../subagents/subagentSettings.js';
import { agentsFor } from './agentTypes.js';
import { gitNote } from './gitNote.js';
import { judgeContext } from './judgeContext.js';
import { modelFor } from './modelFor.js';
import { createOwnWorktree } from './ownWorktree.js';
import { reminders } from './reminders.js';
import type { Ground } from './sessionGround.js';
import { allTools } from './toolset.js';
import { transcriptPort } from './transcriptPort.js';
import { createWebPort } from './webPort.js';

/** Whom a member's tools reach. */
export interface Reach {
  readonly messages: MessagePort;
  readonly submitPlan: SubmitPlan;
  /** Absent where no teammates may be made: the roster is flat. */
  readonly teammates?: ((call: AgentCall) => Promise<string>) | undefined;
  /** Present where a person sits at its terminal. */
  readonly askUser?: AskUser | undefined;
}

export interface MemberAgentOptions extends Reach {
  readonly world: World;
  readonly launch: Launch;
  readonly ground: Ground;
  readonly edges: TurnEdges;
  readonly onEvent: (event: AgentEvent) => void;
}

/** Joins a member's agent from its parts: definition, model, permissions, tools and what was said before. */
export async function joinAgent({
  world,
  launch,
  ground,
  messages,
  submitPlan,
  teammates,
  askUser,
  edges,
  onEvent,
}: MemberAgentOptions): Promise<AgentRun> {
  const { clock, home } = world;
  const { settings } = launch;
  const { parts, transcript, entries } = ground;
  const { place, state, tasks, asker } = parts;
  const sessionPaths = home.session(launch.sessionId);

  const agents = () => agentsFor(world, { cwd: launch.cwd, settings, environment: launch.environment });
  const definition = launch.agentType === LEAD ? undefined : requireAgent(await agents(), launch.agentType);
  const client = await modelFor(world, launch);
  const opened = new Set<string>();
  const gateFor = (agentState: AgentState, agent: AgentDefinition | undefined, cwd = launch.cwd) =>
    createGate({
      context: () => {
        const context = judgeContext({ ...launch, cwd }, agentState, parts.team(), agent, home.root);
        return { ...context, folders: [...context.folders, ...opened] };
      },
      ask: asker.ask,
    });
  const environment: Environment = {
    cwd: launch.cwd,
    isRepository: await isRepository(git(world.run, launch.cwd)),
    platform: process.platform,
    shell: 'bash',
    model: launch.model,
    ...(launch.worktree && { worktree: { branch: launch.worktree.branch, mainCheckout: mainCheckoutOf(launch) } }),
  };
  const userId = `troupe:${launch.team}:${launch.member}`;
  let own: readonly Tool[] = [];
  const known = async () => (own.some(({ name }) => name === 'Agent') ? [...(await agents()).agents.values()] : []);
  const history = historyOf(entries);
  const readLedger = createReadLedger();
  let lastRequest: ModelRequest | undefined;
  const parent: AgentParent = {
    id: launch.member,
    depth: 0,
    folder: launch.cwd,
    toolList: launch.tools ?? definition?.tools,
    model: launch.model,
    state,
    tools: () => own,
    history: () => history,
    readLedger,
    lastRequest: () => lastRequest,
    effort: settings.effort,
  };
  const running = await openMemberTasks({
    world,
    launch,
    ground,
    edges,
    onEvent,
    messages,
    client,
    agents,
    teammate: teammates,
    environment,
    userId,
    session: sessionPaths,
    gateFor,
    gitNote: (cwd) => gitNote(world.run, cwd),
    toolsFor: (scope) => toolsFor(scope),
  });
  const web = createWebPort({
    client,
    userId,
    allowRules: () => judgeContext(launch, state, parts.team(), definition, home.root).rules.allow,
    spent: (response) => parts.record.change(withSpent(parts.record.current(), response)),
  });
  const toolsFor = ({ folder, keepsCwd, agentId, agents: agentPort }: ToolScope) =>
    allTools({
      launch,
      paths: place.paths,
      clock,
      tasks,
      messages: running.messagesOf(() => parent),
      submitPlan,
      folders: () => [folder, ...settings.folders, ...opened],
      keepsCwd,
      agentId,
      outputFolder: sessionPaths.tasks,
      agents: agentPort,
      running: running.port,
      // A sub-agent's commands end with it.
      background: agentId === undefined && hasBackground(launch) ? running.registry : undefined,
      web,
      askUser,
      worktree: createOwnWorktree({
        run: world.run,
        ids: world.ids,
        agent: agentId ?? launch.member,
        settings: settings.worktree,
        opened,
      }),
    });
  const tools = toolsFor({ folder: launch.cwd, keepsCwd: true, agents: running.subagents.portOf(() => parent) });
  const isLead = launch.role === 'lead';
  own = filterTools(tools, {
    kind: launch.role,
    tools: launch.tools ?? definition?.tools,
    disallowedTools: definition?.disallowedTools,
    plans: launch.modeAfterPlan !== undefined,
  });

  const opening: string[] = [];
  if (entries.length === 0) {
    const others = parts.team().members.filter(({ name }) => name !== launch.member);
    const text = introduction({
      members: others.map(({ name, agentType, planModeRequired }) => ({ name, agentType, plans: planModeRequired })),
      agents: (await known()).map((agent) => ({ type: agent.agentType, whenToUse: whenToUse(agent) })),
    });
    const note = definition?.omitGitStatus ? '' : await gitNote(world.run, launch.cwd);
    opening.push(...[note, text, definition?.initialPrompt ?? ''].filter((part) => part !== ''));
  }

  return {
    ...edges,
    client,
    model: launch.model,
    ...effortOf(definition, settings.effort),
    system: systemPrompt({
      custom: settings.systemPrompt,
      definition:
        definition?.agentType === 'general-purpose' && definition.source === 'built-in'
          ? undefined
          : definition?.getSystemPrompt({ toolNames: own.map(({ name }) => name) }),
      definitionAppends: definition?.appendSystemPrompt,
      append: settings.appendSystemPrompt,
      environment,
      team: { team: launch.team, name: launch.member, isLead, plans: launch.modeAfterPlan !== undefined },
    }),
    userId,
    opening: opening.map((text) => ({ type: 'text', text })),
    history,
    ...(definition?.criticalSystemReminder && { reminder: definition.criticalSystemReminder }),
    compaction: createCompaction({
      contextWindow: modelFacts(launch.model).contextWindow,
      reminders: async () => reminders(parts, await known()),
    }),
    publish(request) {
      lastRequest = request;
    },
    tools: own,
    gate: gateFor(state, definition),
    state,
    readLedger,
    transcript: transcriptPort(transcript),
    ...maxTurnsOf(definition, settings.maxTurns),
    delivered: running.delivered,
    cleanups: [() => transcript.close(), () => running.registry.close()],
  };
}

function maxTurnsOf(definition: AgentDefinition | undefined, limit: number | undefined): { maxTurns?: number } {
  const limits = [definition?.maxTurns, limit].filter((turns) => turns !== undefined);
  return limits.length > 0 ? { maxTurns: Math.min(...limits) } : {};
}

/** Effort: definition > session. No model of the API takes a number. */
function effortOf(definition: AgentDefinition | undefined, session: Effort | undefined): { effort?: Effort } {
  const effort = typeof definition?.effort === 'string' ? definition.effort : session;
  return effort ? { effort } : {};
}

/** A worktree of ours lies in `<checkout>/.claude/worktrees/<name>`. */
function mainCheckoutOf({ worktree, cwd }: Launch): string {
  return worktree ? worktree.path.replace(/\/\.claude\/worktrees\/.*$/, '') : cwd;
}
