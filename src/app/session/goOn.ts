import type { Arrival } from '../../agent/arrivals.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import { type Facts, reminders } from './reminders.js';

const STARTED_ANEW =
  'Your process was started anew, and you go on from your own transcript. What you knew of your team may have changed; this is how it stands:';

const CUT_SHORT =
  'Your process ended in the middle of a turn and was started anew. Go on with what you were doing. A tool call that is answered as interrupted may have happened: look before you repeat it.';

/** Goes before the first prompt of a member that comes back: its team, its tasks and its plan, told again from disk. */
export async function toldAgain(facts: Facts, agents: readonly AgentDefinition[]): Promise<string> {
  return `${STARTED_ANEW}\n\n${await reminders(facts, agents)}`;
}

/** Takes up a turn that an earlier process of the member has left in the middle. */
export const TAKE_UP: Arrival = { text: CUT_SHORT, from: 'lead', mail: [], wakes: true };
