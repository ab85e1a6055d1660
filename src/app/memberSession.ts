import type { AgentEvent } from '../agent/events.js';
import { createGate } from '../agent/gate.js';
import type { AgentState } from '../agent/ports.js';
import { type Environment, systemPrompt } from '../agent/systemPrompt.js';
import type { Tool } from '../agent/tool.js';
import { filterTools } from '../agent/toolFilter.js';
import { userHome } from '../config/env.js';
import type { AgentDefinition } from '../definitions/agent.js';
import { loadAgents, requireAgent } from '../definitions/load.js';
import { openMailbox } from '../mailbox/mailbox.js';
import { type Asker, createAsker } from '../member/ask.js';
import { createMember, type Member, type MemberControl, type Role } from '../member/member.js';
import { withSpent } from '../member/spent.js';
import { createAnthropicClient } from '../model/anthropic.js';
import { createBudget } from '../model/budget.js';
import type { Rules } from '../permissions/judge.js';
import { parseRule, type Rule } from '../permissions/rule.js';
import { openTaskList, type TaskList } from '../tasks/taskList.js';
import { type EventLog, openEventLog } from '../team/eventLog.js';
import type { Launch } from '../team/launch.js';
import { LEAD } from '../team/member.js';
import { type Sender, sendProtocol, type TeamPlace } from '../team/messages.js';
import { openRequests, type Requests, type TeamRequest } from '../team/requests.js';
import type { RunRecordFile } from '../team/runRecord.js';
import { openTeamFile, type TeamFile } from '../team/teamFile.js';
import type { AgentPort } from '../tools/agent.js';
import type { SubmitPlan } from '../tools/planMode.js';
import type { MessagePort } from '../tools/sendMessage.js';
import { createReadLedger } from '../tools/support/readLedger.js';
import { deliveredMail, historyOf } from '../transcript/resume.js';
import { createSession, updateSession } from '../transcript/session.js';
import { openTranscript } from '../transcript/transcript.js';
import { git, isRepository } from '../worktree/git.js';
import { claimMember } from './claim.js';
import type { Engine, World } from './services.js';
import { placeOf } from './services.js';
import { runSubagent } from './subagent.js';
import { spentBy } from './teamRecords.js';
import { allTools } from './toolset.js';

/** What a session offers to the role that is played in it. */
export interface SessionParts {
  readonly place: TeamPlace;
  readonly launch: Launch;
  readonly self: Sender;
  readonly state: AgentState;
  readonly tasks: TaskList;
  readonly requests: Requests;
  readonly events: EventLog;
  readonly record: RunRecordFile;
  readonly asker: Asker;
  /** The TeamFile as it was when last looked at. */
  readonly team: () => TeamFile;
  readonly rulesChanged: () => Promise<void>;
}

/** How a lead's session and a teammate's differ: in what happens at the edges of turns, and in whom the tools reach. */
export interface Part {
  readonly role: (control: MemberControl) => Role;
  readonly messages: MessagePort;
  readonly submitPlan: SubmitPlan;
  readonly teammates?: AgentPort['teammate'];
}

export interface SessionOptions {
  readonly world: World;
  readonly engine: Engine;
  readonly launch: Launch;
  readonly part: (parts: SessionParts) => Promise<Part> | Part;
  /** Shows a request of its own to whoever may decide. */
  readonly announce: (request: TeamRequest) => Promise<void>;
  readonly onEvent: (event: AgentEvent) => void;
  /** Ends it hard. */
  readonly signal: AbortSignal;
}

export interface Session {
  readonly member: Member;
  readonly parts: SessionParts;
  /** Says in its record and its session how it ended. */
  close(exit: { readonly code: number; readonly signal: string | null }): Promise<void>;
}

/** Joins a member's engine from its parts: the same for every role and backend. */
export async function openSession({
  world,
  engine,
  launch,
  part,
  announce,
  onEvent,
  signal,
}: SessionOptions): Promise<Session> {
  const { clock, ids, home } = world;
  const { settings } = launch;
  const place = placeOf(world, launch.team);
  const teamFile = openTeamFile(place.paths.config);
  let team = await teamFile.require();
  const record = await claimMember(place, launch);
  const sessionPaths = home.session(launch.sessionId);
  await createSession(home, {
    sessionId: launch.sessionId,
    team: launch.team,
    agent: launch.member,
    model: launch.model,
    mode: launch.mode,
    cwd: launch.cwd,
    startedAt: clock.now(),
  });
  const transcript = openTranscript(sessionPaths.transcript, { sessionId: launch.sessionId, clock, ids });
  const { entries } = await transcript.load();

  const self: Sender = { from: launch.member, color: launch.color };
  const state: AgentState = { cwd: launch.cwd, mode: launch.mode };
  const tasks = openTaskList(place.paths.tasks);
  const requests = openRequests(place.paths.requests, clock);
  const events = openEventLog(place.paths.events, clock);
  const mailbox = openMailbox({ team: place.paths, member: launch.member, clock, ids });
  const asker = createAsker({
    self: launch.member,
    requests,
    clock,
    ids,
    timeoutMs: settings.permissionTimeoutMs,
    async announce({ id, tool, input, description, suggestions }) {
      await events.append('permission_asked', { member: launch.member, id, tool });
      if (launch.member !== LEAD)
        await sendProtocol(place, self, LEAD, 'permission_request', {
          request_id: id,
          tool,
          input,
          description,
          suggestions,
        });
      const request = await requests.get(id);
      if (request) await announce(request);
    },
    waiting: (requestId) =>
      record.change({ waitingFor: requestId === undefined ? undefined : 'permission', requestId }),
  });
  const rulesChanged = async () => {
    team = await teamFile.require();
  };
  const parts: SessionParts = {
    place,
    launch,
    self,
    state,
    tasks,
    requests,
    events,
    record,
    asker,
    team: () => team,
    rulesChanged,
  };
  const { role, messages, submitPlan, teammates } = await part(parts);

  const agents = () =>
    loadAgents({ cwd: launch.cwd, userHome: userHome(), trusted: settings.trusted, flag: settings.agents });
  const definition = launch.agentType === LEAD ? undefined : requireAgent(await agents(), launch.agentType);
  const client = createAnthropicClient({
    clock,
    ids,
    env: launch.environment,
    ...(settings.fallbackModel && { fallbackModel: settings.fallbackModel }),
    ...(settings.maxBudgetUsd !== undefined && {
      budget: createBudget({ limitUsd: settings.maxBudgetUsd, spent: () => spentBy(place) }),
    }),
  });
  const gateFor = (agentState: AgentState, agent: AgentDefinition | undefined) =>
    createGate({ context: () => judgeContext(launch, agentState, team, agent, home.root), ask: asker.ask });
  const folders = () => [launch.cwd, ...settings.folders];
  const environment: Environment = {
    cwd: launch.cwd,
    isRepository: await isRepository(git(world.run, launch.cwd)),
    platform: process.platform,
    shell: 'bash',
    model: launch.model,
    ...(launch.worktree && { worktree: { branch: launch.worktree.branch, mainCheckout: mainCheckoutOf(launch) } }),
  };
  // Kept for whoever reads the run afterwards, a result's permission_denials for one.
  const observe = (event: AgentEvent) => {
    if (event.type === 'tool_denied') {
      const { name, id, input } = event.call;
      events
        .append('tool_denied', {
          member: launch.member,
          tool_name: name,
          tool_use_id: id,
          tool_input: input,
          because: event.because,
        })
        .catch(() => {});
    }
    onEvent(event);
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
            onEvent: observe,
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

  const member = createMember({
    name: launch.member,
    clock,
    mailbox,
    poller: engine.poller,
    pulse: engine.pulse,
    record,
    events,
    delivered: deliveredMail(entries),
    role,
    onEvent: observe,
    signal,
    agent: (hooks) => ({
      ...hooks,
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
    }),
  });
  return {
    member,
    parts,
    async close({ code, signal: ended }) {
      await record.change({
        state: 'exited',
        waitingFor: undefined,
        requestId: undefined,
        activity: undefined,
        exit: { code, signal: ended, forced: ended !== null },
      });
      await record.flush();
      await updateSession(home, launch.sessionId, { endedAt: clock.now(), end: ended ?? String(code) });
      await events.append('exited', { member: launch.member, code, signal: ended });
    },
  };
}

function maxTurnsOf(definition: AgentDefinition | undefined, limit: number | undefined): { maxTurns?: number } {
  const limits = [definition?.maxTurns, limit].filter((turns) => turns !== undefined);
  return limits.length > 0 ? { maxTurns: Math.min(...limits) } : {};
}

function judgeContext(
  { cwd, settings }: Launch,
  state: AgentState,
  team: TeamFile,
  definition: AgentDefinition | undefined,
  home: string,
): Parameters<typeof createGate>[0] extends { context(): infer C } ? C : never {
  const teamRules = (behavior: 'allow' | 'ask' | 'deny') =>
    (team.teamRules ?? []).filter((rule) => rule.behavior === behavior).map(({ rule }) => rule);
  const disallowed = (definition?.disallowedTools ?? []).filter((entry) => entry.includes('('));
  const rules: Rules = {
    allow: parsed([...settings.allow, ...teamRules('allow')]),
    ask: parsed([...settings.ask, ...teamRules('ask')]),
    deny: parsed([...settings.deny, ...teamRules('deny'), ...disallowed]),
  };
  return {
    mode: state.mode,
    rules,
    cwd: state.cwd,
    folders: [cwd, ...settings.folders],
    protectedRoots: [home],
    allowedPaths: team.teamAllowedPaths ?? [],
    home: userHome(),
  };
}

const parsed = (rules: readonly string[]): Rule[] => rules.map((rule) => parseRule(rule));

/** A worktree of ours lies in `<checkout>/.claude/worktrees/<name>`. */
function mainCheckoutOf({ worktree, cwd }: Launch): string {
  return worktree ? worktree.path.replace(/\/\.claude\/worktrees\/.*$/, '') : cwd;
}
