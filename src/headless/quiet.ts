/** What a run looks like at one moment: everything that decides whether it is over. */
export interface Snapshot {
  readonly members: readonly MemberSnapshot[];
  readonly requests: readonly { readonly id: string; readonly kind: 'plan' | 'permission'; readonly from: string }[];
  readonly tasks: readonly TaskSnapshot[];
  /** Background tasks that are not over. */
  readonly background: number;
}

export interface MemberSnapshot {
  readonly name: string;
  readonly isLead: boolean;
  readonly state: 'starting' | 'working' | 'idle' | 'exited' | 'terminated';
  readonly waitingFor?: 'plan' | 'permission' | 'question' | undefined;
  /** Goes up with everything that it does. */
  readonly counter: number;
  /** Messages that it has not taken into its conversation. */
  readonly unread: number;
  /** It has ended, and the lead has not been told of it yet. */
  readonly isUntold?: boolean;
}

export interface TaskSnapshot {
  readonly id: string;
  readonly subject: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly owner?: string | undefined;
  /** Pending, with nothing that it waits for, and claimed by nobody. */
  readonly takeable: boolean;
}

export type Verdict =
  | { readonly kind: 'busy' }
  /** All is done. */
  | { readonly kind: 'quiet' }
  /** Nobody works, nothing is on its way, and yet something is open. `signature` is equal when nothing has changed. */
  | { readonly kind: 'stuck'; readonly open: readonly string[]; readonly signature: string };

export const BUSY: Verdict = { kind: 'busy' };

/** Whether a member that lives does nothing by itself. */
export function isResting({ state, waitingFor }: Pick<MemberSnapshot, 'state' | 'waitingFor'>): boolean {
  return state === 'idle' || waitingFor === 'plan';
}

/** Whether a run is over, from two looks at it: in between, nobody must have done anything. */
export function verdict(before: Snapshot | undefined, now: Snapshot): Verdict {
  if (!before || !isSame(before, now) || now.background > 0) return BUSY;
  if (now.members.some(({ isUntold }) => isUntold === true)) return BUSY;
  const living = now.members.filter(({ state }) => state !== 'exited' && state !== 'terminated');
  if (!living.every(isResting) || living.some(({ unread }) => unread > 0)) return BUSY;
  if (now.requests.some(({ kind, from }) => kind === 'permission' && living.some(({ name }) => name === from)))
    return BUSY;
  const takers = living.filter(({ isLead, waitingFor }) => !isLead && waitingFor === undefined);
  const willBeTaken = ({ takeable, owner }: TaskSnapshot) =>
    takeable && (owner === undefined ? takers.length > 0 : takers.some(({ name }) => name === owner));
  if (now.tasks.some(willBeTaken)) return BUSY;

  const plans = now.requests.filter(({ kind, from }) => kind === 'plan' && living.some(({ name }) => name === from));
  const tasks = now.tasks.filter(({ status }) => status !== 'completed');
  if (plans.length + tasks.length === 0) return { kind: 'quiet' };
  const open = [
    ...plans.map(({ id, from }) => `the plan of ${from} waits for an answer (request_id: ${id})`),
    ...tasks.map(
      ({ id, subject, status, owner }) =>
        `task ${id} "${subject}" is ${status}${owner === undefined ? ', without an owner' : `, owner ${owner}${living.some(({ name }) => name === owner) ? '' : ' (not alive)'}`}`,
    ),
  ];
  return { kind: 'stuck', open, signature: JSON.stringify(open) };
}

/** A claim and the message that tells of it are two writes: what changed between the looks is still on its way. */
function isSame(a: Snapshot, b: Snapshot): boolean {
  const facts = ({ members, requests, tasks }: Snapshot) =>
    JSON.stringify([members.map(({ name, counter }) => [name, counter]), requests, tasks]);
  return facts(a) === facts(b);
}
