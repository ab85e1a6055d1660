import { createCompaction } from '../../agent/compaction.js';
import type { AgentEvent, Spending } from '../../agent/events.js';
import { introduction } from '../../agent/introduction.js';
import type { AgentState } from '../../agent/ports.js';
import type { AgentRun } from '../../agent/runAgent.js';
import { systemPrompt } from '../../agent/systemPrompt.js';
import type { Tool } from '../../agent/tool.js';
import { createToolBelt } from '../../agent/toolBelt.js';
import { type AgentDefinition, whenToUse } from '../../definitions/agent.js';
import { requireAgent } from '../../definitions/load.js';
import { toolListOf } from '../../definitions/mcp.js';
import type { TurnEdges } from '../../member/member.js';
import { withSpent } from '../../member/spent.js';
import { modelFacts } from '../../model/catalogue.js';
import type { ModelRequest } from '../../model/types.js';
import { noteEdit } from '../../team/edits.js';
import type { Launch } from '../../team/launch.js';
import { LEAD } from '../../team/member.js';
import type { AgentCall } from '../../tools/agent.js';
import type { AskUser } from '../../tools/askUserQuestion.js';
import type { SubmitPlan } from '../../tools/planMode.js';
import type { MessagePort } from '../../tools/sendMessage.js';
import { createReadLedger } from '../../tools/support/readLedger.js';
import type { TeamPort } from '../../tools/team.js';
import { createToolSearchTool } from '../../tools/toolSearch.js';
import { historyOf } from '../../transcript/resume.js';
import { memoryText } from '../dream/projectMemory.js';
import { joinHooks } from '../hooks/memberHooks.js';
import type { SessionHooks } from '../hooks/sessionHooks.js';
import { openSessionServers } from '../mcp/agentServers.js';
import type { World } from '../services.js';
import { openMemberTasks } from '../subagents/memberTasks.js';
import type { AgentParent, ToolScope } from '../subagents/subagent.js';
import { hasBackground } from '../subagents/subagentSettings.js';
import { createWatchedGate } from '../telemetry/watched.js';
import { agentsFor, isOn } from './agentTypes.js';
import { gitNote } from './gitNote.js';
import { TAKE_UP, toldAgain } from './goOn.js';
import { judgeContext } from './judgeContext.js';
import { createJudgement } from './judgement.js';
import { createKnowledge } from './knowledge.js';
import { effortOf, environmentOf, maxTurnsOf } from './memberFacts.js';
import { toolsWithNotes } from './memoryTools.js';
import { modelFor } from './modelFor.js';
import { createOwnWorktree } from './ownWorktree.js';
import { reminders } from './reminders.js';
import { createSearchPort } from './searchPort.js';
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
  /** Present for a lead: its team as a whole. */
  readonly team?: TeamPort | undefined;
  /** Present where a person sits at its terminal. */
  readonly askUser?: AskUser | undefined;
  /** Its own alone, and no sub-agent's. */
  readonly answerTool?: Tool | undefined;
}

export interface MemberAgentOptions extends Reach {
  readonly world: World;
  readonly launch: Launch;
  readonly ground: Ground;
  readonly edges: TurnEdges;
  readonly hooks: SessionHooks;
  /** Ends the member. */
  readonly leave: () => void;
  readonly onEvent: (event: AgentEvent) => void;
  /** One line about what works without a part of what it should have. */
  readonly onProblem: (problem: string) => void;
  /** One line about an MCP server. */
  readonly onServerProblem: (problem: string) => void;
}

/** Joins a member's agent from its parts: definition, model, permissions, tools and what was said before. */
export async function joinAgent({
  world,
  launch,
  ground,
  messages,
  submitPlan,
  teammates,
  team,
  askUser,
  answerTool,
  edges,
  hooks,
  leave,
  onEvent,
  onProblem,
  onServerProblem,
}: MemberAgentOptions): Promise<AgentRun> {
  const { clock, home } = world;
  const { settings } = launch;
  const { parts, transcript, entries } = ground;
  const { place, state, tasks, asker } = parts;
  const sessionPaths = home.session(launch.sessionId);

  const agents = () => agentsFor(world, { cwd: launch.cwd, settings, environment: launch.environment });
  const definition = launch.agentType === LEAD ? undefined : requireAgent(await agents(), launch.agentType);
  hooks.adopt(definition);
  parts.telemetry?.member(definition);
  const hooked = joinHooks({ world, launch, session: sessionPaths, hooks, tasks, edges, leave });
  const serversOf = { world, clock, launch, session: sessionPaths, definition, onProblem: onServerProblem };
  const mcp = await openSessionServers(serversOf);
  const client = await modelFor(world, launch);
  const opened = new Set<string>();
  const knowledge = await createKnowledge({ home, run: world.run, launch, onProblem });
  const knows = await knowledge.of({ definition, folder: launch.cwd });
  const spent = (response: Spending) => parts.record.change(withSpent(parts.record.current(), response));
  const judgement = createJudgement({ client, clock, launch, parts, spent, settings: parts.settings });
  const contextOf = (at: AgentState, agent: AgentDefinition | undefined, cwd = launch.cwd) =>
    judgeContext({ ...launch, cwd, settings: parts.settings() }, at, parts.team(), agent, home.root);
  const gateFor = (agentState: AgentState, agent: AgentDefinition | undefined, cwd = launch.cwd) =>
    createWatchedGate(parts.telemetry, {
      async context() {
        // What a person changes counts from the next call on.
        await parts.rulesChanged();
        const context = contextOf(agentState, agent, cwd);
        return knowledge.widened({ ...context, folders: [...context.folders, ...opened] }, agentState, agent);
      },
      ask: asker.ask,
      auto: judgement.autoFor(agentState),
    });
  const environment = await environmentOf(world.run, launch);
  const userId = `troupe:${launch.team}:${launch.member}`;
  let own: readonly Tool[] = [];
  const all = async () => [...(await agents()).agents.values()].filter((agent) => mcp.canHave(agent));
  const known = async () => (own.some(({ name }) => name === 'Agent') ? all() : []);
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
    tools: () => own.filter((tool) => tool !== answerTool),
    history: () => history,
    readLedger,
    lastRequest: () => lastRequest,
    effort: settings.effort,
    knowledge: knows,
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
    hooks: hooked,
    gitNote: (cwd) => gitNote(world.run, cwd),
    knowledgeOf: (knower) => knowledge.of(knower),
    mcpServers: () => mcp.connected(),
    classify: judgement.handoff,
    withServers: (sub) => mcp.joinedBy(sub),
    toolsFor: (scope) => [...toolsFor(scope), ...mcp.tools()],
  });
  const web = createWebPort({
    client,
    userId,
    allowRules: () => contextOf(state, definition).rules.allow,
    spent,
  });
  const searchWeb = createSearchPort({ client, userId, environment: launch.environment, spent });
  const bareToolsFor = ({ folder, keepsCwd, agentId, agents: agentPort }: ToolScope) =>
    allTools({
      launch,
      async onEdit(path) {
        const text = await noteEdit(place, launch.member, path);
        // Not by mail: it is read behind the result of this very call.
        if (text) edges.arrivals.add({ text, from: 'other', mail: [], wakes: false });
      },
      clock,
      tasks: hooked.tasksFor(agentId),
      messages: running.messagesOf(() => parent),
      submitPlan,
      folders: () => [folder, ...parts.settings().folders, ...opened],
      keepsCwd,
      agentId,
      outputFolder: sessionPaths.tasks,
      agents: agentPort,
      running: running.port,
      // A sub-agent's commands end with it.
      background: agentId === undefined && hasBackground(launch) ? running.registry : undefined,
      web,
      team,
      searchWeb,
      todosChanged: agentId === undefined ? (todos) => parts.record.change({ todos: [...todos] }) : undefined,
      askUser,
      worktree: createOwnWorktree({
        run: world.run,
        ids: world.ids,
        agent: agentId ?? launch.member,
        settings: settings.worktree,
        hooks: hooked.worktrees,
        opened,
      }),
    });
  const toolsFor = (scope: ToolScope) =>
    scope.knowledge?.equip(bareToolsFor(scope), scope.agents) ?? bareToolsFor(scope);
  const tools = toolsFor({
    ...{ folder: launch.cwd, keepsCwd: true, knowledge: knows },
    agents: running.subagents.portOf(() => parent),
  });
  const isLead = launch.role === 'lead';
  const filter = {
    kind: launch.role,
    tools: launch.tools ?? (definition && toolListOf(definition)),
    disallowedTools: definition?.disallowedTools,
    plans: launch.modeAfterPlan !== undefined,
  };
  const allOwn = () => [
    ...toolsWithNotes([...tools, ...mcp.tools()], filter, knows.notes),
    ...(answerTool ? [answerTool] : []),
  ];
  const belt = createToolBelt(allOwn(), { search: createToolSearchTool });
  own = belt.tools;

  const opening: string[] = [];
  if (entries.length === 0) {
    const others = parts.team().members.filter(({ name }) => name !== launch.member);
    const text = introduction({
      members: others.map(({ name, agentType, planModeRequired }) => ({ name, agentType, plans: planModeRequired })),
      agents: (await known()).map((agent) => ({ type: agent.agentType, whenToUse: whenToUse(agent) })),
    });
    const note = definition?.omitGitStatus ? '' : await gitNote(world.run, launch.cwd);
    opening.push(...(await knows.opening(own)), note, text, definition?.initialPrompt ?? '');
  } else if (launch.continues) opening.push(await toldAgain(parts, await known()));
  opening.push(...(await hooked.started(entries.length === 0 ? 'startup' : 'resume')));
  if (parts.record.current().midTurn) edges.arrivals.add(TAKE_UP);

  const startable = (await known()).map(({ agentType }) => agentType);
  const sent = () => own.flatMap(({ name, deferred }) => (deferred ? [] : [name]));
  const joined = () => onEvent({ type: 'joined', tools: sent(), agents: startable, mcpServers: mcp.states() });
  const run: AgentRun = {
    ...edges,
    ...hooked.ofRun(),
    client,
    model: launch.model,
    ...effortOf(definition, settings.effort),
    system: systemPrompt({
      coordinates: isLead && isOn(launch.environment, 'TROUPE_COORDINATOR_MODE'),
      custom: settings.systemPrompt,
      definition:
        definition?.agentType === 'general-purpose' && definition.source === 'built-in'
          ? undefined
          : definition?.getSystemPrompt({ toolNames: own.map(({ name }) => name) }),
      definitionAppends: definition?.appendSystemPrompt,
      append: settings.appendSystemPrompt,
      memory: await memoryText(home, launch, knows.notes?.text, parts.telemetry),
      environment,
      team: { team: launch.team, name: launch.member, isLead, plans: launch.modeAfterPlan !== undefined },
    }),
    userId,
    opening: opening.flatMap((text) => (text === '' ? [] : [{ type: 'text', text }])),
    history,
    ...(definition?.criticalSystemReminder && { reminder: definition.criticalSystemReminder }),
    compaction: createCompaction({
      contextWindow: modelFacts(launch.model).contextWindow,
      reminders: async () =>
        [await knows.again(), await reminders(parts, await known()), ...(await hooked.started('compact'))]
          .join('\n\n')
          .trim(),
    }),
    publish(request) {
      lastRequest = request;
    },
    tools: belt.tools,
    gate: gateFor(state, definition),
    state,
    readLedger,
    transcript: transcriptPort(transcript),
    ...maxTurnsOf(definition, settings.maxTurns),
    delivered: running.delivered,
    cleanups: [() => transcript.close(), () => running.registry.close()],
  };
  const whole = knowledge.ofRun(running.dreaming(run), knows, parts.beside.typed);
  return mcp.joined(whole, belt, () => belt.renew(allOwn()), joined);
}
