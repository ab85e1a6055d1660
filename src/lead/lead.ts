import type { Arrival } from '../agent/arrivals.js';
import type { AgentState } from '../agent/ports.js';
import { envelope } from '../mailbox/envelope.js';
import type { Handlers } from '../mailbox/handlers.js';
import type { PayloadOf } from '../mailbox/message.js';
import type { PermissionMode } from '../permissions/mode.js';
import { decidePlan, type PlanDecision } from '../team/decide.js';
import { noteDismissed } from '../team/dismissed.js';
import type { EventLog } from '../team/eventLog.js';
import { LEAD } from '../team/member.js';
import type { TeamPlace } from '../team/messages.js';
import type { Requests, TeamRequest } from '../team/requests.js';
import type { TeamFile } from '../team/teamFile.js';

/** Where the person at the lead sees what waits for a decision. */
export interface LeadScreen {
  /** A plan or a permission that a person may decide. */
  card(request: TeamRequest): void;
  /** One line about the team. */
  note(line: string): void;
}

export interface LeadDeps {
  readonly place: TeamPlace;
  readonly team: () => Promise<TeamFile>;
  readonly state: AgentState;
  readonly requests: Requests;
  readonly events: EventLog;
  readonly screen: LeadScreen;
  readonly checkAnswers: () => Promise<void>;
  readonly rulesChanged: () => Promise<void>;
  /** A person asks in another shell for a member that only this process can start. Its answer is an event. */
  readonly startAsked: (request: PayloadOf<'member_start'>) => void;
  /** Without a person: what becomes of plans that only a person may decide. */
  readonly unattended?: { readonly approvePlans: boolean } | undefined;
  /** A person has set the lead's mode: what members may have changes with it. */
  readonly modeChanged: (mode: PermissionMode) => Promise<void>;
  /** The mode that an approved plan of the lead's own leads to. */
  readonly modeAfterPlan: PermissionMode;
}

/** What becomes of a plan that only a person may decide, in a run without one. */
export function unattendedDecision({ approvePlans }: { readonly approvePlans: boolean }): PlanDecision {
  return approvePlans
    ? { approve: true }
    : {
        approve: false,
        feedback: 'Nobody is there to decide on plans in this run: only a person may (see --approve-plans).',
      };
}

type Told = Omit<Arrival, 'mail'> | undefined;
type Handler<T extends keyof Handlers<Told>> = NonNullable<Handlers<Told>[T]>;

export interface Interruptible {
  interrupt(): boolean;
}

/** What a lead does with the protocol messages of its team: what is the person's goes to the screen, what is the model's to the model. */
export function createLeadHandlers(deps: LeadDeps, control: Interruptible): Handlers<Told> {
  const { place, requests, screen, events } = deps;

  const idle: Handler<'idle_notification'> = async (message, { result, resultPath, failureReason, idleReason }) => {
    if (failureReason !== undefined) screen.note(`${message.from} failed: ${failureReason}`);
    else screen.note(`${message.from} is idle`);
    const text =
      failureReason !== undefined
        ? `Its turn failed: ${failureReason}`
        : result !== undefined
          ? `${result}${resultPath ? `\n[cut; the whole text is in ${resultPath}]` : ''}`
          : `It is idle (${idleReason}).`;
    return {
      text: envelope({ ...message, summary: 'end of a turn', text }),
      from: 'other',
      wakes: result !== undefined || failureReason !== undefined,
    };
  };

  const exited: Handler<'teammate_exited'> = async (message, { name, code, signal, forced, lastText }) => {
    const how = signal !== null ? `by ${signal}` : code !== null ? `with exit code ${code}` : 'and nobody saw how';
    screen.note(`${name} has ended ${how}`);
    const last = lastText ? ` Its last words: ${lastText}` : '';
    const unexpected = !forced && code !== 0;
    return {
      text: envelope({
        ...message,
        summary: `${name} has ended`,
        text: `The teammate ${name} has ended ${how}. Its claims on tasks are void.${last}`,
      }),
      from: 'other',
      wakes: unexpected,
    };
  };

  const planAsked: Handler<'plan_approval_request'> = async (message, { request_id }) => {
    const request = await requests.get(request_id);
    if (!request || (await requests.answerOf(request.id))) return undefined;
    const team = await deps.team();
    screen.card(request);
    if (team.approver !== 'human') {
      const text = `It asks for approval of its plan. request_id: ${request.id}\nAnswer with SendMessage {type: "plan_approval_response", request_id, approve, feedback}.\n\n${request.plan ?? ''}`;
      return { text: envelope({ ...message, summary: 'plan for approval', text }), from: 'other', wakes: true };
    }
    if (deps.unattended) {
      await decidePlan(place, team, 'user', request.id, unattendedDecision(deps.unattended));
    }
    return undefined;
  };

  const permissionAsked: Handler<'permission_request'> = async (_message, { request_id }) => {
    const request = await requests.get(request_id);
    if (request && !(await requests.answerOf(request.id))) screen.card(request);
    return undefined;
  };

  const shutdownAnswered: Handler<'shutdown_response'> = async (message, { approve, reason }) => {
    screen.note(approve ? `${message.from} shuts down` : `${message.from} stays: ${reason}`);
    if (approve) {
      await noteDismissed(place, message.from);
      return undefined;
    }
    return {
      text: envelope({ ...message, summary: 'does not shut down', text: `It does not shut down. Reason: ${reason}` }),
      from: 'other',
      wakes: true,
    };
  };

  const ownPlanAnswered: Handler<'plan_approval_response'> = async (_message, { request_id }) => {
    const answer = await requests.answerOf(request_id);
    if (!answer) return undefined;
    if (!answer.approve)
      return { text: `The user does not approve the plan: ${answer.feedback}`, from: 'lead', wakes: true };
    deps.state.mode = answer.mode ?? deps.modeAfterPlan;
    await deps.modeChanged(deps.state.mode);
    return {
      text: `The user approves the plan: carry it out.${answer.feedback ? ` Feedback: ${answer.feedback}` : ''}`,
      from: 'lead',
      wakes: true,
    };
  };

  const modeSet: Handler<'mode_set'> = async (message, { mode }) => {
    if (message.from !== 'user') return undefined;
    deps.state.mode = mode;
    await deps.modeChanged(mode);
    return undefined;
  };

  const startAsked: Handler<'member_start'> = async (message, request) => {
    if (message.from === 'user') deps.startAsked(request);
    return undefined;
  };

  const quietly = (work: () => Promise<void> | void) => async () => {
    await work();
    return undefined;
  };

  return {
    idle_notification: idle,
    teammate_exited: exited,
    plan_approval_request: planAsked,
    permission_request: permissionAsked,
    shutdown_response: shutdownAnswered,
    plan_approval_response: ownPlanAnswered,
    permission_response: quietly(deps.checkAnswers),
    team_permission: quietly(deps.rulesChanged),
    interrupt: quietly(() => void control.interrupt()),
    mode_set: modeSet,
    member_start: startAsked,
    // Only the person ends a lead: `troupe down`.
    shutdown_request: async (message) => {
      await events.append('message_refused', {
        member: LEAD,
        from: message.from,
        problem: 'a lead is ended with troupe down',
      });
      return undefined;
    },
  };
}
