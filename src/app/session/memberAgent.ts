import { createToolBelt } from '../../agent/calls/toolBelt.js';
import { createCompaction } from '../../agent/compaction.js';
import type { AgentEvent, Spending } from '../../agent/events.js';
import type { AgentRun } from '../../agent/runAgent.js';
import type { Tool } from '../../agent/tool.js';
import { requireAgent } from '../../definitions/load.js';
import type { TurnEdges } from '../../member/member.js';
import { withSpent } from '../../member/spent.js';
import { modelFacts } from '../../model/catalogue.js';
import type { ModelRequest } from '../../model/types.js';
import { LEAD } from '../../team/member.js';
import type { Launch } from '../../team/start/launch.js';
import { createReadLedger } from '../../tools/support/files/readLedger.js';
import { createToolSearchTool } from '../../tools/toolSearch.js';
import { historyOf } from '../../transcript/resume.js';
import { memoryText } from '../dream/projectMemory.js';
import { joinHooks } from '../hooks/memberHooks.js';
import type { SessionHooks } from '../hooks/sessionHooks.js';
import { agentsFor } from '../knowledge/agentTypes.js';
import { createKnowledge } from '../knowledge/knowledge.js';
import { toolsWithNotes } from '../knowledge/memoryTools.js';
import { openSessionServers } from '../mcp/agentServers.js';
import { createJudgement } from '../permissions/judgement.js';
import { createMemberGates } from '../permissions/memberGates.js';
import type { World } from '../services.js';
import { openMemberTasks } from '../subagents/memberTasks.js';
import type { AgentParent } from '../subagents/subagent.js';
import { createMemberTools, type Reach } from '../tools/memberTools.js';
import { gitNote } from './gitNote.js';
import { TAKE_UP } from './goOn.js';
import { effortOf, environmentOf, maxTurnsOf, toolFilterOf } from './memberFacts.js';
import { memberOpening, memberReminders } from './memberOpening.js';
import { memberPrompt } from './memberPrompt.js';
import { modelFor } from './modelFor.js';
import type { Ground } from './sessionGround.js';
import { transcriptPort } from './transcriptPort.js';

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
export async function joinAgent(options: MemberAgentOptions): Promise<AgentRun> {
  const { world, launch, ground, edges, hooks, leave, onEvent, onProblem, answerTool } = options;
  const { clock, home } = world;
  const { settings } = launch;
  const { parts, transcript, entries } = ground;
  const { state, tasks } = parts;
  const session = home.session(launch.sessionId);

  const agents = () => agentsFor(world, { cwd: launch.cwd, settings, environment: launch.environment });
  const definition = launch.agentType === LEAD ? undefined : requireAgent(await agents(), launch.agentType);
  hooks.adopt(definition);
  parts.telemetry?.member(definition);
  const hooked = joinHooks({ world, launch, session, hooks, tasks, edges, leave });
  const mcp = await openSessionServers({
    ...{ world, clock, launch, session, definition },
    onProblem: options.onServerProblem,
  });
  hooks.reach(mcp.call);
  const client = await modelFor(world, launch);
  const knowledge = await createKnowledge({ home, run: world.run, launch, onProblem });
  const knows = await knowledge.of({ definition, folder: launch.cwd });
  const spent = (response: Spending) => parts.record.change(withSpent(parts.record.current(), response));
  const judgement = createJudgement({ client, clock, launch, parts, spent, settings: parts.settings });
  const opened = new Set<string>();
  const hookRules = hooks.rules;
  const { contextOf, gateFor } = createMemberGates({ home, launch, parts, knowledge, judgement, hookRules, opened });
  const environment = await environmentOf(world.run, launch);
  const userId = `troupe:${launch.team}:${launch.member}`;

  let own: readonly Tool[] = [];
  let lastRequest: ModelRequest | undefined;
  const history = historyOf(entries);
  const readLedger = createReadLedger();
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
    ...{ world, launch, ground, edges, onEvent, client, agents, environment, userId, session, gateFor },
    messages: options.messages,
    teammate: options.teammates,
    hooks: hooked,
    gitNote: (cwd) => gitNote(world.run, cwd),
    knowledgeOf: (knower) => knowledge.of(knower),
    mcpServers: () => mcp.connected(),
    classify: judgement.handoff,
    withServers: (sub) => mcp.joinedBy(sub),
    toolsFor: (scope) => [...toolsFor(scope), ...mcp.tools()],
  });
  const { submitPlan, team, askUser } = options;
  const toolsFor = createMemberTools({
    ...{ world, launch, parts, session, hooked, running, client, userId, spent, opened },
    reach: { messages: running.messagesOf(() => parent), submitPlan, team, askUser },
    arrivals: edges.arrivals,
    allowRules: () => contextOf(state, definition).rules.allow,
  });
  const tools = toolsFor({
    ...{ folder: launch.cwd, keepsCwd: true, knowledge: knows },
    agents: running.subagents.portOf(() => parent),
  });
  const filter = toolFilterOf(launch, definition);
  const allOwn = () => [
    ...toolsWithNotes([...tools, ...mcp.tools()], filter, knows.notes),
    ...(answerTool ? [answerTool] : []),
  ];
  const belt = createToolBelt(allOwn(), { search: createToolSearchTool });
  own = belt.tools;

  const all = async () => [...(await agents()).agents.values()].filter((agent) => mcp.canHave(agent));
  const startable = async () => (own.some(({ name }) => name === 'Agent') ? all() : []);
  const telling = {
    ...{ parts, definition, knows, hooked, startable },
    gitNote: () => gitNote(world.run, launch.cwd),
  };
  const opening = await memberOpening(telling, { tools: own, isNew: entries.length === 0 });
  if (parts.record.current().midTurn) edges.arrivals.add(TAKE_UP);

  const startableTypes = (await startable()).map(({ agentType }) => agentType);
  const sent = () => own.flatMap(({ name, deferred }) => (deferred ? [] : [name]));
  const joined = () => onEvent({ type: 'joined', tools: sent(), agents: startableTypes, mcpServers: mcp.states() });
  const memory = await memoryText(home, launch, knows.notes?.text, parts.telemetry);
  const run: AgentRun = {
    ...edges,
    ...hooked.ofRun(() => running.registry.all().map((task) => task.record())),
    client,
    model: launch.model,
    ...effortOf(definition, settings.effort),
    system: memberPrompt({ launch, definition, tools: own, memory, environment }),
    userId,
    opening,
    history,
    ...(definition?.criticalSystemReminder && { reminder: definition.criticalSystemReminder }),
    compaction: createCompaction({
      contextWindow: modelFacts(launch.model).contextWindow,
      reminders: () => memberReminders(telling),
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
