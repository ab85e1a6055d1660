import { join } from 'node:path';
import type { TurnEnd } from '../agent/events.js';
import type { AgentState } from '../agent/ports.js';
import type { Handlers } from '../mailbox/handlers.js';
import { narrowed, type PermissionMode } from '../permissions/mode.js';
import { writeAtomic } from '../store/atomicFile.js';
import type { TaskList } from '../tasks/taskList.js';
import { tellPlanAnswer } from '../team/decide.js';
import type { EventLog } from '../team/eventLog.js';
import { LEAD } from '../team/member.js';
import { type Sender, sendProtocol, type TeamPlace } from '../team/messages.js';
import type { Answer, Requests } from '../team/requests.js';
import { ToolError, UserError } from '../util/errors.js';
import { head } from '../util/text.js';
import type { Told } from './dispatch.js';
import type { MemberControl, Role, Waits } from './member.js';

/** Longest result that an idle note carries; a longer one is in a file that the note names. */
const MAX_RESULT = 20_000;
/** Heartbeats for which a running tool call is waited for when the lead's process is gone; then it is cancelled. */
const BEATS_TO_LEAVE = 3;

export interface TeammateDeps {
  readonly name: string;
  readonly generation: number;
  readonly color: string | undefined;
  readonly place: TeamPlace;
  readonly state: AgentState;
  /** The mode that an approved plan leads to, where a plan is required first. */
  readonly modeAfterPlan?: PermissionMode | undefined;
  /** What no mode of its own is wider than, as it is now. */
  readonly leadMode: () => Promise<PermissionMode>;
  readonly tasks: TaskList;
  readonly requests: Requests;
  readonly events: EventLog;
  readonly checkAnswers: () => Promise<void>;
  /** What it asks a person for is denied for this reason. */
  readonly withdrawQuestions: (because: string) => Promise<void>;
  readonly rulesChanged: () => Promise<void>;
  /** Its mode is another from now on: a restart begins with that. */
  readonly modeChanged: (mode: PermissionMode) => Promise<void>;
  /** Ends it hard: a running tool is cancelled. */
  readonly endNow: () => void;
  /** A plan that was handed in before a restart and still waits. */
  readonly openPlan?: string | undefined;
  /** Whether the lead's process still lives. */
  readonly leadAlive: () => Promise<boolean>;
}

/** What a teammate does at the edges of its turns, and the tools' way to it. */
export interface Teammate {
  readonly role: (control: MemberControl) => Role;
  /** For ExitPlanMode. */
  submitPlan(plan: string): Promise<{ requestId: string; planPath: string }>;
  /** For SendMessage: it told the lead something in this turn. */
  toldLead(): void;
  /** For SendMessage {shutdown_response}. Returns what the model is told. */
  answerShutdown(requestId: string, approve: boolean, reason: string | undefined): Promise<string>;
}

type Handler<T extends keyof Handlers<Told>> = NonNullable<Handlers<Told>[T]>;

interface ShutdownRequest {
  readonly id: string;
  readonly from: string;
}

export function createTeammate(deps: TeammateDeps): Teammate {
  const { name, place, state, tasks, requests, events } = deps;
  const self: Sender = { from: name, color: deps.color };
  let control: MemberControl | undefined;
  let shutdown: ShutdownRequest | undefined;
  let plan = deps.openPlan;
  let modeAfterPlan = deps.modeAfterPlan;
  let beatsWithoutLead = 0;
  let toldLead = false;

  const tell = (to: string, type: Parameters<typeof sendProtocol>[3], payload: Record<string, unknown>) =>
    sendProtocol(place, self, to, type, payload);

  async function approveShutdown({ id, from }: ShutdownRequest): Promise<void> {
    shutdown = undefined;
    await events.append('shutdown_approved', { member: name, id });
    if (from !== 'user') await tell(from, 'shutdown_response', { request_id: id, approve: true });
    control?.leave();
  }

  async function rejectShutdown({ id, from }: ShutdownRequest, reason: string): Promise<void> {
    shutdown = undefined;
    await events.append('shutdown_rejected', { member: name, id, reason });
    if (from !== 'user') await tell(from, 'shutdown_response', { request_id: id, approve: false, reason });
  }

  async function sendIdleNote(end: TurnEnd): Promise<void> {
    const open = (await tasks.list())
      .filter((task) => task.owner === name && task.status !== 'completed')
      .map(({ id }) => id);
    const silent = toldLead && end.reason !== 'failed';
    const result = silent || end.text === '' ? {} : await bounded(end.text);
    await tell(LEAD, 'idle_notification', {
      idleReason: end.reason === 'failed' ? 'failed' : end.reason === 'aborted' ? 'interrupted' : 'available',
      ...result,
      ...(end.reason === 'failed' && { failureReason: end.error.message }),
      ...(end.reason === 'max-turns' && { failureReason: 'It has had all the turns that it may have (--max-turns).' }),
      openTasks: open,
    });
    await events.append('idle', { member: name, reason: end.reason });
  }

  async function bounded(text: string): Promise<{ result: string; resultPath?: string }> {
    if (text.length <= MAX_RESULT) return { result: text };
    const resultPath = join(place.paths.files, `${place.ids.timeUuid()}.txt`);
    await writeAtomic(resultPath, text);
    return { result: head(text, MAX_RESULT), resultPath };
  }

  const shutdownRequested: Handler<'shutdown_request'> = async (message, { request_id, reason, force }) => {
    shutdown = { id: request_id, from: message.from };
    if (force) {
      await approveShutdown(shutdown);
      deps.endNow();
      return undefined;
    }
    // Idle, or waiting for a plan: nothing is lost, so the model is not asked.
    if (!control?.isWorking()) {
      await approveShutdown(shutdown);
      return undefined;
    }
    // Or it would hear of this only when a person has answered.
    await deps.withdrawQuestions('It was asked to shut down before anybody answered.');
    return {
      text: `${message.from} asks you to shut down (request_id: ${shutdown.id}).${reason ? ` Reason: ${reason}` : ''} Finish what must not be left half done, then answer with SendMessage {type: "shutdown_response", request_id, approve: true}. Ending your turn without an answer counts as approval; approve: false needs a reason.`,
      from: 'shutdown',
      wakes: false,
    };
  };

  const planAnswered: Handler<'plan_approval_response'> = async (_message, { request_id }) => {
    const answer = await requests.answerOf(request_id);
    if (!answer || !(await isForNow(answer))) return undefined;
    plan = undefined;
    if (answer.approve) {
      state.mode = narrowed(answer.mode ?? modeAfterPlan ?? state.mode, await deps.leadMode());
      modeAfterPlan = undefined;
      await deps.modeChanged(state.mode);
      const feedback = answer.feedback ? ` Feedback: ${answer.feedback}` : '';
      return {
        text: `Your plan was approved by ${answer.by}. You are out of plan mode now: carry it out.${feedback}`,
        from: 'lead',
        wakes: true,
      };
    }
    return {
      text: `Your plan was rejected by ${answer.by}. You are still in plan mode: revise it and hand it in again with ExitPlanMode. Feedback: ${answer.feedback}`,
      from: 'lead',
      wakes: true,
    };
  };

  /** Whoever answered may have died before it told of it. */
  async function lookForAnswer(id: string): Promise<void> {
    const answer = await requests.answerOf(id);
    if (answer && answer.by !== name) await tellPlanAnswer(place, { from: answer.by }, name, answer);
  }

  /** The plan that waits; or one that was answered while this member was not running. */
  async function isForNow({ id, by }: Answer): Promise<boolean> {
    if (plan !== undefined) return id === plan;
    return modeAfterPlan !== undefined && by !== name && (await requests.get(id))?.from === name;
  }

  const taskAssigned: Handler<'task_assignment'> = async (_message, { task_id, subject }) => ({
    text: `Task ${task_id} of the shared list is yours: ${subject}. TaskGet gives the whole text; set it to in_progress, and to completed when it is done.`,
    from: 'lead',
    wakes: true,
  });

  const modeSet: Handler<'mode_set'> = async (_message, { mode }) => {
    const allowed = narrowed(mode, await deps.leadMode());
    // A plan that is required comes first, whoever asks.
    if (modeAfterPlan === undefined) {
      state.mode = allowed;
      await deps.modeChanged(allowed);
    } else modeAfterPlan = allowed;
    return undefined;
  };

  const waits = (): Waits => (plan === undefined ? {} : { waitingFor: 'plan', requestId: plan });

  /** A newer plan takes its place, unless somebody has just approved it. */
  async function withdraw(id: string): Promise<void> {
    try {
      await requests.answer({ id, by: name, approve: false, feedback: 'A newer plan took its place.' });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if ((await requests.answerOf(id))?.approve)
        throw new ToolError(
          'The plan that you handed in before was approved just now: end your turn, the answer comes.',
        );
    }
  }

  return {
    role(memberControl) {
      control = memberControl;
      return {
        handlers: {
          shutdown_request: shutdownRequested,
          plan_approval_response: planAnswered,
          permission_response: async () => {
            await deps.checkAnswers();
            return undefined;
          },
          task_assignment: taskAssigned,
          mode_set: modeSet,
          interrupt: async () => {
            memberControl.interrupt();
            return undefined;
          },
          team_permission: async () => {
            await deps.rulesChanged();
            return undefined;
          },
        },
        async afterTurn(end) {
          // A turn that prose started while a plan waits may have an answer to give; its silence is no news.
          if (plan === undefined || (end.reason !== 'waits-for-plan' && end.text !== '')) await sendIdleNote(end);
          toldLead = false;
          if (shutdown) await approveShutdown(shutdown);
          return waits();
        },
        atStart: waits,
        async lookForWork() {
          if (plan !== undefined) await lookForAnswer(plan);
          if (memberControl.record.current().waitingFor !== undefined) return;
          const task = await tasks.takeFor(name, deps.generation);
          if (task)
            await sendProtocol(place, { from: LEAD }, name, 'task_assignment', {
              task_id: task.id,
              subject: task.subject,
            });
        },
        async beat() {
          if (await deps.leadAlive()) return;
          memberControl.leave();
          if (++beatsWithoutLead > BEATS_TO_LEAVE) deps.endNow();
        },
      };
    },
    async submitPlan(text) {
      if (plan !== undefined) await withdraw(plan);
      const requestId = place.ids.uuid();
      const planPath = join(place.paths.plans, `${requestId}.md`);
      await writeAtomic(planPath, text);
      await requests.create({ id: requestId, kind: 'plan', from: name, plan: text, planPath });
      plan = requestId;
      await events.append('plan_asked', { member: name, id: requestId });
      await tell(LEAD, 'plan_approval_request', { request_id: requestId, plan: text, plan_path: planPath });
      return { requestId, planPath };
    },
    toldLead() {
      toldLead = true;
    },
    async answerShutdown(requestId, approve, reason) {
      if (shutdown?.id !== requestId)
        throw new ToolError(
          shutdown
            ? `The shutdown request that waits has the request_id ${shutdown.id}.`
            : 'No shutdown request waits for an answer.',
        );
      if (approve) {
        await approveShutdown(shutdown);
        return 'Approved: you are ended after this call.';
      }
      if (!reason?.trim()) throw new ToolError('A rejection needs a reason.');
      await rejectShutdown(shutdown, reason);
      return 'Rejected: you stay, with your reason told.';
    },
  };
}
