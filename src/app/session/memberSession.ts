import type { AgentEvent } from '../../agent/events.js';
import { createMember, type Member, type MemberControl, type Role } from '../../member/member.js';
import { LEAD } from '../../team/member.js';
import type { TeamRequest } from '../../team/requests.js';
import type { Launch } from '../../team/start/launch.js';
import { deliveredMail } from '../../transcript/resume.js';
import { updateSession } from '../../transcript/session.js';
import { promptsHeard } from '../knowledge/typedSkills.js';
import type { Engine, World } from '../services.js';
import type { Reach } from '../tools/memberTools.js';
import { openGround, type SessionParts } from './sessionGround.js';

/** How a lead's session and a teammate's differ: in what happens at the edges of turns, and in whom the tools reach. */
export interface Part extends Reach {
  readonly role: (control: MemberControl) => Role;
}

export interface SessionOptions {
  readonly world: World;
  readonly engine: Engine;
  readonly launch: Launch;
  readonly part: (parts: SessionParts) => Promise<Part> | Part;
  /** Shows a request of its own to whoever may decide. */
  readonly announce: (request: TeamRequest) => Promise<void>;
  readonly onEvent: (event: AgentEvent) => void;
  /** One line about a file of its own that is broken. */
  readonly onProblem: (problem: string) => void;
  /** Ends it hard. */
  readonly signal: AbortSignal;
}

export interface Session {
  readonly member: Member;
  readonly parts: SessionParts;
  /** Says in its record and its session how it ended. `reason`: what its `SessionEnd` hooks are told. */
  close(exit: { readonly code: number; readonly signal: string | null; readonly reason?: string }): Promise<void>;
}

/** Joins a member's engine from its parts: the same for every role and backend. */
export async function openSession({
  world,
  engine,
  launch,
  part,
  announce,
  onEvent,
  onProblem,
  signal,
}: SessionOptions): Promise<Session> {
  const { clock, home } = world;
  const ground = await openGround({ world, launch, announce, onProblem });
  const { parts, mailbox, entries } = ground;
  const { record, events } = parts;
  const { role, ...reach } = await part(parts);
  const past = new AbortController();
  const [{ createSessionHooks }, { createNotifications }] = await Promise.all([
    import('../hooks/sessionHooks.js'),
    import('../hooks/notifications.js'),
  ]);
  const hooks = createSessionHooks({
    world,
    launch,
    state: parts.state,
    settings: { current: parts.settings, look: parts.rulesChanged },
    isNew: entries.length === 0,
    note(line) {
      onProblem(line);
      events.append('hook_note', { member: launch.member, note: line }).catch(() => {});
    },
    async asker() {
      const { askerFor } = await import('../hooks/hookAsker.js');
      return askerFor(world, launch, parts);
    },
  });

  const report = (type: 'file_problem' | 'mcp_problem') => (problem: string) => {
    onProblem(problem);
    events.append(type, { member: launch.member, problem }).catch(() => {});
  };
  // Kept for whoever reads the run afterwards, a result's permission_denials for one.
  const observe = (event: AgentEvent) => {
    notified(event);
    parts.telemetry?.event(event);
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
  const notified = createNotifications({
    hooks,
    clock,
    hasPerson: launch.role === 'lead' && launch.settings.interactive,
    isWorking: () => member.control.isWorking(),
    signal: AbortSignal.any([signal, past.signal]),
  });
  const member: Member = createMember({
    name: launch.member,
    clock,
    mailbox,
    poller: engine.poller,
    pulse: engine.pulse,
    record,
    events,
    delivered: deliveredMail(entries),
    role,
    // A definition, which is not read yet, may bring hooks along.
    ...promptsHeard(launch.settings.hooks || launch.agentType !== LEAD ? hooks : undefined, parts.beside.typed),
    onEvent: observe,
    signal,
    loadsForWork: launch.role === 'teammate' && entries.length === 0 && !launch.continues && !hooks.hearStart(),
    async agent(edges) {
      const { joinAgent } = await import('./memberAgent.js');
      const leave = () => member.control.leave();
      return joinAgent({
        ...{ world, launch, ground, ...reach, edges, hooks, leave, onEvent: observe },
        onProblem: report('file_problem'),
        onServerProblem: report('mcp_problem'),
      });
    },
  });
  return {
    member,
    parts,
    async close({ code, signal: ended, reason = 'other' }) {
      past.abort();
      // First, for it keeps the process alive where something of the rest fails.
      await ground.socket?.close();
      await hooks.end(reason);
      await parts.telemetry?.close();
      try {
        await updateSession(home, launch.sessionId, { endedAt: clock.now(), end: ended ?? String(code) });
        await events.append('exited', { member: launch.member, code, signal: ended });
      } finally {
        // Last: whoever reads it may kill what is left of this process.
        await record.change({
          state: 'exited',
          waitingFor: undefined,
          requestId: undefined,
          activity: undefined,
          questions: undefined,
          socket: undefined,
          exit: { code, signal: ended, forced: ended !== null },
        });
        await record.flush();
      }
    },
  };
}
