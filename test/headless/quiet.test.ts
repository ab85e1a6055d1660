import { expect, test } from 'vitest';
import { type MemberSnapshot, type Snapshot, type TaskSnapshot, verdict } from '../../src/headless/quiet.js';

const lead: MemberSnapshot = { name: 'team-lead', isLead: true, state: 'idle', counter: 7, unread: 0 };
const bob: MemberSnapshot = { name: 'bob', isLead: false, state: 'idle', counter: 3, unread: 0 };
const task: TaskSnapshot = { id: '1', subject: 'Dig', status: 'pending', takeable: true };
const plan = { id: 'p1', kind: 'plan', from: 'bob' } as const;
const permission = { id: 'a1', kind: 'permission', from: 'bob' } as const;

const look = (changes: Partial<Snapshot> = {}): Snapshot => ({
  members: [lead, bob],
  requests: [],
  tasks: [],
  background: 0,
  ...changes,
});
const withBob = (changes: Partial<MemberSnapshot>, more: Partial<Snapshot> = {}) =>
  look({ members: [lead, { ...bob, ...changes }], ...more });

test.each<{ when: string; now: Snapshot; is: 'busy' | 'quiet' | 'stuck'; open?: string[] }>([
  { when: 'nobody has anything to do', now: look(), is: 'quiet' },
  { when: 'the lead is alone and idle', now: look({ members: [lead] }), is: 'quiet' },
  { when: 'the lead has ended its turn and a member works', now: withBob({ state: 'working' }), is: 'busy' },
  { when: 'a member starts', now: withBob({ state: 'starting' }), is: 'busy' },
  {
    when: 'the lead works and the members are idle',
    now: look({ members: [{ ...lead, state: 'working' }, bob] }),
    is: 'busy',
  },
  { when: 'a message waits for a member', now: withBob({ unread: 1 }), is: 'busy' },
  { when: 'a message waits for the lead', now: look({ members: [{ ...lead, unread: 1 }, bob] }), is: 'busy' },
  { when: 'a message waits for a member that has ended', now: withBob({ state: 'exited', unread: 1 }), is: 'quiet' },
  {
    when: 'a member has ended and the lead does not know',
    now: withBob({ state: 'exited', isUntold: true }),
    is: 'busy',
  },
  { when: 'a member has died and the lead knows', now: withBob({ state: 'terminated' }), is: 'quiet' },
  {
    when: 'a member waits for a permission',
    now: withBob({ state: 'working', waitingFor: 'permission' }, { requests: [permission] }),
    is: 'busy',
  },
  {
    when: 'a permission request of a dead member is open',
    now: withBob({ state: 'terminated' }, { requests: [permission] }),
    is: 'quiet',
  },
  {
    when: 'a member waits for its plan',
    now: withBob({ state: 'working', waitingFor: 'plan' }, { requests: [plan] }),
    is: 'stuck',
    open: ['the plan of bob waits for an answer (request_id: p1)'],
  },
  {
    when: 'a member waits for its plan while the lead works',
    now: look({
      members: [
        { ...lead, state: 'working' },
        { ...bob, state: 'working', waitingFor: 'plan' },
      ],
      requests: [plan],
    }),
    is: 'busy',
  },
  { when: 'a plan of a dead member is open', now: withBob({ state: 'terminated' }, { requests: [plan] }), is: 'quiet' },
  { when: 'an idle member may take a task', now: look({ tasks: [task] }), is: 'busy' },
  {
    when: 'nobody is there to take a task',
    now: look({ members: [lead], tasks: [task] }),
    is: 'stuck',
    open: ['task 1 "Dig" is pending, without an owner'],
  },
  {
    when: 'the only taker waits for its plan',
    now: withBob({ state: 'working', waitingFor: 'plan' }, { requests: [plan], tasks: [task] }),
    is: 'stuck',
    open: ['the plan of bob waits for an answer (request_id: p1)', 'task 1 "Dig" is pending, without an owner'],
  },
  { when: 'a task is assigned to a living member', now: look({ tasks: [{ ...task, owner: 'bob' }] }), is: 'busy' },
  {
    when: 'a task is the lead’s own',
    now: look({ tasks: [{ ...task, owner: 'team-lead' }] }),
    is: 'stuck',
    open: ['task 1 "Dig" is pending, owner team-lead'],
  },
  {
    when: 'a member is idle and left its task unfinished',
    now: look({ tasks: [{ ...task, status: 'in_progress', owner: 'bob', takeable: false }] }),
    is: 'stuck',
    open: ['task 1 "Dig" is in_progress, owner bob'],
  },
  {
    when: 'the owner of a task is dead',
    now: withBob(
      { state: 'terminated' },
      { tasks: [{ ...task, status: 'in_progress', owner: 'bob', takeable: false }] },
    ),
    is: 'stuck',
    open: ['task 1 "Dig" is in_progress, owner bob (not alive)'],
  },
  {
    when: 'a task waits for another that nobody does',
    now: look({ tasks: [{ ...task, takeable: false }] }),
    is: 'stuck',
    open: ['task 1 "Dig" is pending, without an owner'],
  },
  {
    when: 'all tasks are completed',
    now: look({ tasks: [{ ...task, status: 'completed', takeable: false }] }),
    is: 'quiet',
  },
  { when: 'something runs in the background', now: look({ background: 1 }), is: 'busy' },
])('when $when, a run is $is', ({ now, is, open }) => {
  const state = verdict(now, now);
  expect(state.kind).toBe(is);
  if (state.kind === 'stuck') expect(state.open).toEqual(open);
});

test('one look alone says nothing', () => {
  expect(verdict(undefined, look())).toEqual({ kind: 'busy' });
});

test('whatever a member did between two looks makes it busy: a message that crossed, for one', () => {
  expect(verdict(look(), withBob({ counter: 4 }))).toEqual({ kind: 'busy' });
  expect(verdict(look({ members: [lead] }), look())).toEqual({ kind: 'busy' });
});

test('being stuck has the same signature until something about it changes', () => {
  const stuck = (now: Snapshot) => {
    const state = verdict(now, now);
    return state.kind === 'stuck' ? state.signature : '';
  };
  const alone = look({ members: [lead], tasks: [task] });
  expect(stuck({ ...alone, members: [{ ...lead, counter: 9 }] })).toBe(stuck(alone));
  expect(stuck({ ...alone, tasks: [{ ...task, status: 'in_progress', owner: 'team-lead' }] })).not.toBe(stuck(alone));
});
