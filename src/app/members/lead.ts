import { join } from 'node:path';
import type { AgentEvent } from '../../agent/events.js';
import type { Tool } from '../../agent/tool.js';
import { requireAgent } from '../../definitions/load.js';
import { within } from '../../host/clock.js';
import { createLeadHandlers, type LeadScreen, unattendedDecision } from '../../lead/lead.js';
import { createMemberWatch } from '../../lead/watchMembers.js';
import type { Role } from '../../member/member.js';
import type { Backend } from '../../panes/backend.js';
import { writeAtomic } from '../../store/atomicFile.js';
import { decidePlan } from '../../team/decide.js';
import { claimAsLead } from '../../team/leadClaim.js';
import { recordLeadMode } from '../../team/leadMode.js';
import { LEAD } from '../../team/member.js';
import type { RunRecord } from '../../team/runRecord.js';
import { paneOf } from '../../team/shutdown.js';
import type { Launch } from '../../team/start/launch.js';
import { type StartDeps, startMember } from '../../team/start/lifecycle.js';
import { settleLeftStarts } from '../../team/start/settle.js';
import { untilStarted } from '../../team/start/starters.js';
import { openTeamFile } from '../../team/teamFile.js';
import type { AgentCall } from '../../tools/agent.js';
import type { AskUser } from '../../tools/askUserQuestion.js';
import type { StyledLine } from '../../util/styledText.js';
import { worktreeHooks } from '../hooks/worktreeHooks.js';
import { agentsFor } from '../knowledge/agentTypes.js';
import { requireMembersServers } from '../mcp/teamServers.js';
import { type Engine, placeOf, type World } from '../services.js';
import { openSession, type Session } from '../session/memberSession.js';
import { inTerminalOf } from '../session/paneEnvironment.js';
import { recordedAsk } from '../session/questions.js';
import type { SessionParts } from '../session/sessionGround.js';
import { releaseFormer, startAsked } from '../start/addMember.js';
import { createHostStarts } from '../start/hostRequest.js';
import { resolveMember } from '../start/memberRequest.js';
import { createStatusLine } from '../statusLine/statusLine.js';
import { createMessagePort } from '../tools/messagePort.js';
import { createTeamPort } from './leadTeam.js';
import { showOpenRequests } from './openRequests.js';

/** Where the lead's person looks. */
export interface LeadView extends LeadScreen {
  /** Where a person is there to be asked. */
  readonly ask?: AskUser;
  event(event: AgentEvent): void;
  /** Shows the lines of the setting `statusLine`, where it has a place for them. */
  readonly statusLine?: (lines: readonly StyledLine[]) => Promise<void>;
  /** Every member's record, about once a second. */
  members(members: readonly { readonly name: string; readonly record: RunRecord }[]): void;
}

export interface LeadOptions {
  readonly world: World;
  readonly engine: Engine;
  readonly launch: Launch;
  readonly backend: Backend;
  readonly view: LeadView;
  /** Set where no person is there. */
  readonly unattended?: { readonly approvePlans: boolean };
  /** With which it gives the answer of a run as data. */
  readonly answerTool?: Tool;
  readonly signal: AbortSignal;
}

/** A folder that is just being put back is no reason to end. */
const LOOKS_WITHOUT_TEAM = 3;

/** The lead of a team in this process: takes the team over and watches over its members while it lives. */
export async function openLead(options: LeadOptions): Promise<Session> {
  const { world, engine, launch, backend, view, unattended, signal } = options;
  const place = placeOf(world, launch.team);
  const teamFile = openTeamFile(place.paths.config);
  await claimAsLead(place, launch.sessionId);

  const starts = createHostStarts(world, launch.team, (asked, given) => {
    const environment = inTerminalOf(launch.environment, given);
    return startAsked(world, asked, { team: launch.team, backend, environment });
  });
  const session = await openSession({
    world,
    engine,
    launch,
    signal,
    onEvent: (event) => view.event(event),
    onProblem: (problem) => view.note(problem),
    announce: async (request) => view.card(request),
    async part(parts) {
      if (launch.continues) await showOpenRequests(parts, options);
      const { state, requests, events, asker, rulesChanged } = parts;
      return {
        role: (control): Role => ({
          handlers: createLeadHandlers(
            {
              place,
              team: () => teamFile.require(),
              state,
              requests,
              events,
              screen: view,
              checkAnswers: () => asker.check(),
              rulesChanged,
              modeChanged: (mode) => recordLeadMode(place, mode),
              startAsked: (request) => starts.ask(request),
              unattended,
              modeAfterPlan: launch.mode === 'plan' ? 'default' : launch.mode,
            },
            control,
          ),
          beforeFirstTurn: (over) => untilStarted(place, over),
          afterTurn: async () => ({}),
        }),
        messages: createMessagePort({ place, sender: parts.self }),
        submitPlan: (plan) => submitOwnPlan(parts, plan, options),
        teammates: (call) => spawn(options, parts, call),
        team: createTeamPort({ world, place, launch, self: parts.self, backend }),
        answerTool: options.answerTool,
        askUser:
          view.ask &&
          recordedAsk(parts.record, (question, stop) =>
            within(
              world.clock,
              launch.settings.permissionTimeoutMs,
              (late) => view.ask?.(question, AbortSignal.any([stop, late])) ?? Promise.resolve(undefined),
            ),
          ),
      };
    },
  });
  const showLines = backend.statusLine ?? view.statusLine;
  const statusLine =
    showLines &&
    createStatusLine({
      ...{ world, launch, show: showLines, note: (line) => view.note(line) },
      cwd: () => session.parts.state.cwd,
      settings: session.parts.settings,
      lookAtSettings: session.parts.rulesChanged,
    });
  let looksWithoutTeam = 0;
  const watch = createMemberWatch({
    place,
    home: world.home.root,
    async team() {
      const team = await teamFile.read();
      looksWithoutTeam = team ? 0 : looksWithoutTeam + 1;
      if (looksWithoutTeam === LOOKS_WITHOUT_TEAM) {
        view.note(`The folder of team ${launch.team} is gone, so there is nothing left to lead.`);
        session.member.control.leave();
      }
      return team;
    },
    tasks: session.parts.tasks,
    events: session.parts.events,
    endOf: async (member) => (member.tmuxPaneId === '' ? undefined : backend.ended(paneOf(member))),
    async show(members) {
      view.members(members);
      statusLine?.look(members);
      const team = await teamFile.read();
      const facts = members.flatMap(({ name, record }) => {
        const member = team?.members.find((other) => other.name === name);
        if (!member || member.tmuxPaneId === '') return [];
        return [
          {
            pane: paneOf(member),
            member: name,
            state: stateOf(record),
            ...(member.color && { color: member.color }),
            ...(record.activity && { activity: record.activity }),
          },
        ];
      });
      await backend.refresh(facts);
    },
  });
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  engine.pulse.every(1000, watch, until);
  engine.pulse.every(1000, () => settleLeftStarts(place, backend, teamFile), until);
  engine.pulse.every(1000, () => session.parts.asker.check(), until);
  return {
    ...session,
    async close(exit) {
      // Whoever takes the team down now is the one who tells how its members end.
      over.abort();
      await statusLine?.close();
      await starts.close();
      await session.close(exit);
    },
  };
}

/** Runs the lead to its end, and closes its session in every case. @throws what it failed with, at its work or at its end */
export async function runLead(session: Session, reason: () => string | undefined = () => undefined): Promise<void> {
  try {
    await session.member.run();
  } catch (error) {
    await session.close({ code: 1, signal: null }).catch(() => {});
    throw error;
  }
  const said = reason();
  await session.close({ code: 0, signal: null, ...(said !== undefined && { reason: said }) });
}

function stateOf({ state, waitingFor }: RunRecord): string {
  return waitingFor === undefined ? state : `waits for ${waitingFor}`;
}

/** The lead's own plan: only a person may say yes to it. */
async function submitOwnPlan(
  { place, requests, events }: SessionParts,
  plan: string,
  { view, unattended }: LeadOptions,
): Promise<{ requestId: string; planPath: string }> {
  const requestId = place.ids.uuid();
  const planPath = join(place.paths.plans, `${requestId}.md`);
  await writeAtomic(planPath, plan);
  const request = await requests.create({ id: requestId, kind: 'plan', from: LEAD, plan, planPath });
  await events.append('plan_asked', { member: LEAD, id: requestId });
  view.card(request);
  if (unattended)
    await decidePlan(
      place,
      await openTeamFile(place.paths.config).require(),
      'user',
      requestId,
      unattendedDecision(unattended),
    );
  return { requestId, planPath };
}

async function spawn(
  { world, launch, backend }: LeadOptions,
  { place, state }: SessionParts,
  call: AgentCall,
): Promise<string> {
  const settings = { ...launch.settings, leadMode: state.mode };
  const agents = await agentsFor(world, { cwd: launch.cwd, settings, environment: launch.environment });
  const { name = '', prompt, subagentType, model, mode, isolation, toolUseId } = call;
  const request = resolveMember(
    {
      name,
      prompt,
      agent: subagentType,
      model,
      mode,
      worktree: isolation === 'worktree' ? true : undefined,
      requestId: toolUseId,
    },
    { agents, settings, cwd: state.cwd, environment: launch.environment },
  );
  const servers = { cwd: state.cwd, settings, environment: launch.environment };
  await requireMembersServers(world, requireAgent(agents, request.agentType), servers);
  const deps: StartDeps = {
    home: world.home,
    place,
    run: world.run,
    backend,
    program: world.program,
    environment: launch.environment,
    settings,
    worktreeHooks: worktreeHooks(world, { ...launch, settings }),
  };
  const before = await openTeamFile(place.paths.config).require();
  const { member, pane } = await startMember(deps, request);
  const left = await releaseFormer(world, before, member, launch.cwd);
  return JSON.stringify({
    status: 'teammate_spawned',
    name: member.name,
    agentId: member.agentId,
    paneId: pane.paneId,
    backend: backend.type,
    color: member.color,
    ...(left && { worktreeOfTheFormer: left }),
  });
}
