import { tellPlanAnswer } from '../../team/decide.js';
import type { TeamPlace } from '../../team/messages.js';
import type { Requests, TeamRequest } from '../../team/requests.js';
import type { Launch } from '../../team/start/launch.js';
import { UserError } from '../../util/errors.js';

/**
 * The plan that a restarted member still waits for. What else is open in its name was asked by a process that is gone:
 * it is closed, so that nobody answers it in vain.
 */
export async function reopenPlan(requests: Requests, launch: Launch): Promise<TeamRequest | undefined> {
  const own = (await requests.open()).filter(({ from }) => from === launch.member);
  const isPlanning = launch.modeAfterPlan !== undefined || (launch.role === 'lead' && launch.mode === 'plan');
  const plan = launch.continues && isPlanning ? own.findLast(({ kind }) => kind === 'plan') : undefined;
  for (const { id } of own) {
    if (id === plan?.id) continue;
    const answer = { id, by: launch.member, approve: false, message: 'The process that asked is gone.' };
    await requests.answer(answer).catch((error: unknown) => {
      // Somebody answered in this very moment.
      if (!(error instanceof UserError)) throw error;
    });
  }
  return plan;
}

/** For a restarted teammate that has to plan first: whoever answered its last plan may have died before it told of it. */
export async function retellPlanAnswer(place: TeamPlace, requests: Requests, launch: Launch): Promise<void> {
  if (!launch.continues || launch.modeAfterPlan === undefined) return;
  const { member } = launch;
  const last = (await requests.all()).findLast(({ kind, from }) => kind === 'plan' && from === member);
  const answer = last && (await requests.answerOf(last.id));
  if (answer && answer.by !== member) await tellPlanAnswer(place, { from: answer.by }, member, answer);
}
