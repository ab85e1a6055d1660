import type { AgentState } from '../../agent/ports.js';
import { type Mailbox, openMailbox } from '../../mailbox/mailbox.js';
import type { Listening } from '../../mailbox/socket.js';
import { type Asker, createAsker } from '../../member/ask.js';
import { openTaskList, type TaskList } from '../../tasks/taskList.js';
import { type EventLog, openEventLog } from '../../team/eventLog.js';
import { LEAD } from '../../team/member.js';
import { type Sender, sendProtocol, type TeamPlace } from '../../team/messages.js';
import { openRequests, type Requests, type TeamRequest } from '../../team/requests.js';
import type { RunRecordFile } from '../../team/runRecord.js';
import type { Launch, TeamSettings } from '../../team/start/launch.js';
import type { TeamFile } from '../../team/teamFile.js';
import { createSession } from '../../transcript/session.js';
import { openTranscript, type Transcript } from '../../transcript/transcript.js';
import { createTypedSkills, type TypedSkills } from '../knowledge/typedSkills.js';
import { createLiveSettings } from '../permissions/liveSettings.js';
import { placeOf, type World } from '../services.js';
import type { SessionTelemetry } from '../telemetry/sessionTelemetry.js';
import { claimMember } from './claim.js';
import { openSessionSocket } from './sessionSocket.js';
import { openTeamView } from './teamView.js';

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
  /** What holds for all members, as their files said when they were last looked at. */
  readonly settings: () => TeamSettings;
  /** Looks at both. */
  readonly rulesChanged: () => Promise<void>;
  /** Absent where no events of what it does are kept. */
  readonly telemetry?: SessionTelemetry | undefined;
  /** What runs beside the conversation, once that has begun. */
  readonly beside: { readonly typed: TypedSkills; toBackground?: () => Promise<string> };
}

/** Everything on disk that a session stands on, opened and claimed. */
export interface Ground {
  readonly parts: SessionParts;
  readonly mailbox: Mailbox;
  readonly transcript: Transcript;
  /** Where other sessions write to it. */
  readonly socket: Listening | undefined;
  readonly entries: Awaited<ReturnType<Transcript['load']>>['entries'];
}

export async function openGround({
  world,
  launch,
  announce,
  onProblem,
}: {
  readonly world: World;
  readonly launch: Launch;
  readonly announce: (request: TeamRequest) => Promise<void>;
  readonly onProblem: (problem: string) => void;
}): Promise<Ground> {
  const { clock, ids, home } = world;
  const { settings } = launch;
  const place = placeOf(world, launch.team);
  const team = await openTeamView(place.paths.config);
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

  const state: AgentState = { cwd: launch.cwd, mode: launch.mode };
  const tasks = openTaskList(place.paths.tasks);
  const requests = openRequests(place.paths.requests, clock);
  const events = openEventLog(place.paths.events, clock);
  const live = createLiveSettings({
    world,
    settings,
    onProblem(problem) {
      // One of the team tells the person.
      if (launch.role === 'lead') onProblem(problem);
      events.append('settings_problem', { member: launch.member, problem }).catch(() => {});
    },
  });
  const mailbox = openMailbox({
    team: place.paths,
    member: launch.member,
    clock,
    ids,
    onProblem(problem) {
      onProblem(problem);
      events.append('inbox_problem', { member: launch.member, problem }).catch(() => {});
    },
  });
  const socket = await openSessionSocket(launch, mailbox, onProblem);
  if (socket) await record.change({ socket: socket.path });
  const self: Sender = {
    from: launch.member,
    color: launch.color,
    ...(socket && { replyTo: `uds:${socket.path}` }),
  };
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
    async preview(question) {
      const { changePreview } = await import('../../tools/support/files/preview.js');
      return changePreview(question);
    },
    waiting: (requestId) =>
      record.change({ waitingFor: requestId === undefined ? undefined : 'permission', requestId }),
  });
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
    team: team.current,
    settings: live.current,
    rulesChanged: async () => void (await Promise.all([team.look(), live.look()])),
    ...(settings.telemetry && { telemetry: await telemetryOf(world, launch, team.current(), onProblem) }),
    beside: { typed: createTypedSkills() },
  };
  return { parts, mailbox, transcript, entries, socket };
}

async function telemetryOf(
  world: World,
  launch: Launch,
  { createdAt }: TeamFile,
  onProblem: (problem: string) => void,
): Promise<SessionTelemetry> {
  const { openSessionTelemetry } = await import('../telemetry/sessionTelemetry.js');
  return openSessionTelemetry({ world, launch, createdAt, onProblem });
}
