import type { AgentEvent } from '../agent/events.js';
import { createGate } from '../agent/gate.js';
import { introduction } from '../agent/introduction.js';
import type { AgentState } from '../agent/ports.js';
import type { AgentRun } from '../agent/runAgent.js';
import { type Environment, systemPrompt } from '../agent/systemPrompt.js';
import type { Tool } from '../agent/tool.js';
import { filterTools } from '../agent/toolFilter.js';
import { type AgentDefinition, whenToUse } from '../definitions/agent.js';
import { requireAgent } from '../definitions/load.js';
import type { TurnEdges } from '../member/member.js';
import { withSpent } from '../member/spent.js';
import type { Launch } from '../team/launch.js';
import { LEAD } from '../team/member.js';
import type { AgentPort } from '../tools/agent.js';
import type { SubmitPlan } from '../tools/planMode.js';
import type { MessagePort } from '../tools/sendMessage.js';
import { createReadLedger } from '../tools/support/readLedger.js';
import { historyOf } from '../transcript/resume.js';
import { git, isRepository } from '../worktree/git.js';
import { agentsFor } from './agentTypes.js';
import { judgeContext } from './judgeContext.js';
import { modelFor } from './modelFor.js';
import type { World } from './services.js';
import type { Ground } from './sessionGround.js';
import { runSubagent } from './subagent.js';
import { allTools } from './toolset.js';

/** Whom a member's tools reach. */
export interface Reach {
  readonly messages: MessagePort;
  readonly submitPlan: SubmitPlan;
  readonly teammates?: AgentPort['teammate'];
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
  ground: { parts, transcript, entries },
  messages,
  submitPlan,
  teammates,
  edges,
  onEvent,
}: MemberAgentOptions): Promise<AgentRun> {
  const { clock, ids, home } = world;
  const { settings } = launch;
  const { place, state, record, tasks, asker } = parts;
  const sessionPaths = home.session(launch.sessionId);

  const agents = () => agentsFor(world, { cwd: launch.cwd, settings, environment: launch.environment });
  const definition = launch.agentType === LEAD ? undefined : requireAgent(await agents(), launch.agentType);
  const client = await modelFor(world, launch);
  const gateFor = (agentState: AgentState, agent: AgentDefinition | undefined) =>
    createGate({ context: () => judgeContext(launch, agentState, parts.team(), agent, home.root), ask: asker.ask });
  const folders = () => [launch.cwd, ...settings.folders];
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
  const tools = allTools({
    launch,
    paths: place.paths,
    clock,
    tasks,
    messages,
    submitPlan,
    folders,
    outputFolder: sessionPaths.tasks,
    agents: {
      foreground: (call, callSignal) =>
        runSubagent(
          {
            clock,
            ids,
            client,
            agents,
            parentTools: () => own,
            parentModel: launch.model,
            parentState: state,
            gateFor,
            environment,
            session: sessionPaths,
            sessionId: launch.sessionId,
            userId,
            spent: (response) => record.change(withSpent(record.current(), response)),
            onEvent,
          },
          call,
          callSignal,
        ),
      ...(teammates && { teammate: teammates }),
    },
  });
  const isLead = launch.role === 'lead';
  own = filterTools(tools, {
    kind: launch.role,
    tools: launch.tools ?? definition?.tools,
    disallowedTools: definition?.disallowedTools,
    plans: launch.modeAfterPlan !== undefined,
  });

  if (entries.length === 0) {
    const known = own.some(({ name }) => name === 'Agent') ? [...(await agents()).agents.values()] : [];
    const others = parts.team().members.filter(({ name }) => name !== launch.member);
    const text = introduction({
      members: others.map(({ name, agentType, planModeRequired }) => ({ name, agentType, plans: planModeRequired })),
      agents: known.map((agent) => ({ type: agent.agentType, whenToUse: whenToUse(agent) })),
    });
    edges.arrivals.add({ text, from: 'lead', mail: [], wakes: false });
  }

  return {
    ...edges,
    client,
    model: launch.model,
    ...(settings.effort && { effort: settings.effort }),
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
    history: historyOf(entries),
    tools: own,
    gate: gateFor(state, definition),
    state,
    readLedger: createReadLedger(),
    transcript: {
      append: async (type, message, mail) =>
        void (await transcript.append({ type, message, ...(mail && mail.length > 0 && { msg_ids: [...mail] }) })),
    },
    ...maxTurnsOf(definition, settings.maxTurns),
    cleanups: [() => transcript.close()],
  };
}

function maxTurnsOf(definition: AgentDefinition | undefined, limit: number | undefined): { maxTurns?: number } {
  const limits = [definition?.maxTurns, limit].filter((turns) => turns !== undefined);
  return limits.length > 0 ? { maxTurns: Math.min(...limits) } : {};
}

/** A worktree of ours lies in `<checkout>/.claude/worktrees/<name>`. */
function mainCheckoutOf({ worktree, cwd }: Launch): string {
  return worktree ? worktree.path.replace(/\/\.claude\/worktrees\/.*$/, '') : cwd;
}
