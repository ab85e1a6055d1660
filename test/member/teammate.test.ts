import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createArrivals } from '../../src/agent/arrivals.js';
import type { TurnEnd } from '../../src/agent/events.js';
import type { AgentState } from '../../src/agent/ports.js';
import { parsePayload } from '../../src/mailbox/message.js';
import { createDispatcher } from '../../src/member/dispatch.js';
import { createTeammate, type TeammateDeps } from '../../src/member/teammate.js';
import { decidePlan, tellPlanAnswer } from '../../src/team/decide.js';
import { sendProtocol } from '../../src/team/messages.js';
import { openRunRecord } from '../../src/team/runRecord.js';
import { type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

const done = (text: string): TurnEnd => ({ reason: 'done', text });

/** A teammate without its model: the test plays the turns. */
function teammateIn(team: TeamOnDisk, given: Partial<TeammateDeps> = {}) {
  const state: AgentState = { cwd: team.cwd, mode: given.modeAfterPlan ? 'plan' : 'default' };
  const arrivals = createArrivals();
  const did: string[] = [];
  let working = false;
  const { events, requests, tasks, place } = team;
  const own = createTeammate({
    name: 'bob',
    generation: 1,
    color: 'blue',
    place,
    state,
    leadMode: async () => 'acceptEdits',
    tasks,
    requests,
    events,
    checkAnswers: async () => void did.push('checked answers'),
    withdrawQuestions: async (because) => void did.push(`withdrew: ${because}`),
    rulesChanged: async () => void did.push('read rules'),
    modeChanged: async () => {},
    endNow: () => did.push('ended hard'),
    leadAlive: async () => true,
    ...given,
  });
  const record = openRunRecord(team.paths.runRecord('bob'), place.clock, team.record());
  const role = own.role({
    arrivals,
    interrupt: () => did.push('interrupted') > 0,
    leave: () => did.push('left'),
    isWorking: () => working,
    record,
  });
  const take = createDispatcher({
    mailbox: team.inbox('bob'),
    arrivals,
    handlers: role.handlers,
    delivered: new Set(),
    report: async () => {},
  });
  return {
    own,
    role,
    state,
    did,
    record,
    work: () => {
      working = true;
    },
    async endTurn(end: TurnEnd) {
      working = false;
      return role.afterTurn(end);
    },
    /** What the mail makes of it, in short. */
    async gets() {
      await take();
      return arrivals.take().map(({ text, wakes }) => ({ text, wakes }));
    },
    send: (type: Parameters<typeof sendProtocol>[3], payload: Record<string, unknown>, from = 'team-lead') =>
      sendProtocol(place, { from }, 'bob', type, payload),
  };
}

async function notes(team: TeamOnDisk) {
  const mail = await team.inbox('team-lead').peek();
  return mail.flatMap((message) => {
    const parsed = parsePayload(message);
    return 'type' in parsed && parsed.type === 'idle_notification' ? [parsed.payload] : [];
  });
}

async function answersToLead(team: TeamOnDisk) {
  const mail = await team.mail('team-lead');
  return mail.flatMap(({ type, payload }) => (type === 'shutdown_response' ? [payload] : []));
}

test('each turn ends in exactly one idle note, with its last text and its open tasks', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team);
  const task = await team.tasks.create({ subject: 's', description: 'd' });
  await team.tasks.claim(task.id, 'bob', 1);
  await bob.endTurn(done('first'));
  await bob.endTurn(done(''));
  await bob.endTurn({ reason: 'aborted', text: 'half' });
  await bob.endTurn({ reason: 'failed', text: 'half', error: new Error('model down') });
  await bob.endTurn({ reason: 'max-turns', text: 'last' });
  expect(await notes(team)).toMatchObject([
    { idleReason: 'available', result: 'first', openTasks: [task.id] },
    { idleReason: 'available' },
    { idleReason: 'interrupted', result: 'half' },
    { idleReason: 'failed', failureReason: 'model down' },
    { idleReason: 'available', result: 'last', failureReason: /max-turns/ },
  ]);
  expect((await notes(team))[1]).not.toHaveProperty('result');
});

test('a turn that told the lead something repeats nothing, the next one does; a failure is always told', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team);
  bob.own.toldLead();
  await bob.endTurn(done('said already'));
  await bob.endTurn(done('new'));
  bob.own.toldLead();
  await bob.endTurn({ reason: 'failed', text: '', error: new Error('down') });
  expect((await notes(team)).map(({ result, failureReason }) => result ?? failureReason)).toEqual([
    undefined,
    'new',
    'down',
  ]);
});

test('a long result is bounded in the note and whole in a file that the note names', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const text = 'é'.repeat(30_000);
  await teammateIn(team).endTurn(done(text));
  const [note] = await notes(team);
  expect(note?.result?.length).toBe(20_000);
  expect(await readFile(note?.resultPath ?? '', 'utf8')).toBe(text);
});

test('idle or waiting for a plan, it agrees to shut down at once; the model is not asked', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const idle = teammateIn(team);
  await idle.send('shutdown_request', { request_id: 'r1' });
  expect(await idle.gets()).toEqual([]);
  expect(idle.did).toEqual(['left']);
  const planning = teammateIn(team, { modeAfterPlan: 'default' });
  await planning.own.submitPlan('the plan');
  await planning.endTurn({ reason: 'waits-for-plan', text: '' });
  await planning.send('shutdown_request', { request_id: 'r2' });
  await planning.gets();
  expect(planning.did).toEqual(['left']);
  expect(await answersToLead(team)).toMatchObject([
    { request_id: 'r1', approve: true },
    { request_id: 'r2', approve: true },
  ]);
});

test('working, it waits for no permission any more and the model is told; a turn that ends without an answer has agreed', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team);
  bob.work();
  await bob.send('shutdown_request', { request_id: 'r1', reason: 'enough' });
  expect(await bob.gets()).toMatchObject([{ text: /request_id: r1\).*enough/, wakes: false }]);
  const withdrew = 'withdrew: It was asked to shut down before anybody answered.';
  expect(bob.did).toEqual([withdrew]);
  await bob.endTurn(done('report'));
  expect(bob.did).toEqual([withdrew, 'left']);
  expect(await answersToLead(team)).toMatchObject([{ approve: true }]);
});

test('a rejection needs a reason and the request that waits, tells both sides, and keeps the member', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team);
  bob.work();
  await expect(bob.own.answerShutdown('r1', false, 'why')).rejects.toThrow('No shutdown request waits');
  await bob.send('shutdown_request', { request_id: 'r1' });
  await bob.gets();
  await expect(bob.own.answerShutdown('other', false, 'why')).rejects.toThrow('r1');
  await expect(bob.own.answerShutdown('r1', false, ' ')).rejects.toThrow('needs a reason');
  await bob.own.answerShutdown('r1', false, 'a test runs');
  await bob.endTurn(done('on'));
  expect(bob.did).not.toContain('left');
  expect(await answersToLead(team)).toMatchObject([{ approve: false, reason: 'a test runs' }]);
  expect(await team.events.read()).toMatchObject([{ type: 'shutdown_rejected', id: 'r1', reason: 'a test runs' }, {}]);
});

test('by force it ends at once, also in the middle of a turn', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team);
  bob.work();
  await bob.send('shutdown_request', { request_id: 'r1', force: true }, 'user');
  await bob.gets();
  expect(bob.did).toEqual(['left', 'ended hard']);
});

test('a plan waits as long as it takes: prose may start a turn, which stays read-only and ends in no idle note of its own accord', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team, { modeAfterPlan: 'acceptEdits' });
  const { requestId, planPath } = await bob.own.submitPlan('the plan');
  expect(await readFile(planPath, 'utf8')).toBe('the plan');
  expect(await bob.endTurn({ reason: 'waits-for-plan', text: 'x' })).toEqual({ waitingFor: 'plan', requestId });
  expect(await bob.endTurn(done(''))).toEqual({ waitingFor: 'plan', requestId });
  expect([await notes(team), bob.state.mode]).toEqual([[], 'plan']);
  expect(await bob.endTurn(done('an answer'))).toEqual({ waitingFor: 'plan', requestId });
  expect((await notes(team)).map(({ result }) => result)).toEqual(['an answer']);
});

test('an approved plan lets it out, in the answer’s mode or its own, never wider than the lead’s; feedback comes along', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  for (const [given, mode] of [
    ['default', 'default'],
    [undefined, 'acceptEdits'],
    ['bypassPermissions', 'acceptEdits'],
  ] as const) {
    const bob = teammateIn(team, { modeAfterPlan: 'bypassPermissions' });
    const { requestId } = await bob.own.submitPlan('p');
    await decidePlan(team.place, await team.file.require(), 'user', requestId, {
      approve: true,
      mode: given,
      feedback: 'mind the tests',
    });
    expect(await bob.gets()).toMatchObject([{ text: /approved by user.*mind the tests/, wakes: true }]);
    expect(bob.state.mode).toBe(mode);
    expect(await bob.endTurn(done(''))).toEqual({});
  }
});

test('a rejected plan keeps it read-only with the reason; the revised one is the only one that counts from then on', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team, { modeAfterPlan: 'default' });
  const file = await team.file.require();
  const first = await bob.own.submitPlan('one');
  await decidePlan(team.place, file, 'user', first.requestId, { approve: false, feedback: 'smaller' });
  expect(await bob.gets()).toMatchObject([{ text: /rejected by user.*smaller/ }]);
  expect(bob.state.mode).toBe('plan');
  const second = await bob.own.submitPlan('two');
  const third = await bob.own.submitPlan('three');
  await expect(decidePlan(team.place, file, 'user', second.requestId, { approve: true })).rejects.toThrow('already');
  await bob.send('plan_approval_response', { request_id: second.requestId, approve: true });
  expect(await bob.gets()).toEqual([]);
  expect(bob.state.mode).toBe('plan');
  await decidePlan(team.place, file, 'user', third.requestId, { approve: true });
  await bob.gets();
  expect(bob.state.mode).toBe('default');
});

test('an answer that is said to be there and is not in its file approves nothing', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team, { modeAfterPlan: 'default' });
  const { requestId } = await bob.own.submitPlan('p');
  await bob.send('plan_approval_response', { request_id: requestId, approve: true });
  await bob.send('plan_approval_response', { request_id: '00000000-0000-4000-8000-000000000000', approve: true });
  expect(await bob.gets()).toEqual([]);
  expect(bob.state.mode).toBe('plan');
});

test('a plan that was answered while its member was not running is answered when it runs again', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const { requestId } = await teammateIn(team, { modeAfterPlan: 'default' }).own.submitPlan('p');
  await decidePlan(team.place, await team.file.require(), 'user', requestId, { approve: true });
  const again = teammateIn(team, { modeAfterPlan: 'default' });
  expect(await again.gets()).toMatchObject([{ text: /approved/, wakes: true }]);
  expect(again.state.mode).toBe('default');
});

test.each([true, false])(
  'an answer whose sender died before it told of it is found in its file, and told once (%s)',
  async (approve) => {
    await using team = await teamOnDisk({ members: ['bob'] });
    const bob = teammateIn(team, { modeAfterPlan: 'default' });
    const { requestId } = await bob.own.submitPlan('p');
    await bob.role.lookForWork?.();
    expect(await bob.gets()).toEqual([]);
    const answer = await team.requests.answer({ id: requestId, by: 'user', approve, feedback: 'mind the tests' });
    await bob.role.lookForWork?.();
    expect(await bob.gets()).toMatchObject([{ text: expect.stringContaining('mind the tests'), wakes: true }]);
    expect(bob.state.mode).toBe(approve ? 'default' : 'plan');
    // It was slow, not dead.
    await tellPlanAnswer(team.place, { from: 'user' }, 'bob', answer);
    await bob.role.lookForWork?.();
    expect(await bob.gets()).toEqual([]);
  },
);

test('a newer plan that crosses an approval is refused: what was approved is carried out', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team, { modeAfterPlan: 'default' });
  const { requestId } = await bob.own.submitPlan('one');
  await decidePlan(team.place, await team.file.require(), 'user', requestId, { approve: true });
  await expect(bob.own.submitPlan('two')).rejects.toThrow('approved just now');
  expect(await team.requests.open()).toEqual([]);
  await bob.gets();
  expect(bob.state.mode).toBe('default');
});

test('a plan that is required comes before any mode: mode_set changes only what it leads to', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team, { modeAfterPlan: 'acceptEdits' });
  await bob.send('mode_set', { mode: 'default' }, 'user');
  await bob.gets();
  expect(bob.state.mode).toBe('plan');
  const { requestId } = await bob.own.submitPlan('p');
  await decidePlan(team.place, await team.file.require(), 'user', requestId, { approve: true });
  await bob.gets();
  expect(bob.state.mode).toBe('default');
  await bob.send('mode_set', { mode: 'bypassPermissions' }, 'user');
  await bob.gets();
  expect(bob.state.mode).toBe('acceptEdits');
});

test('interrupt, task, permission and rules reach it at once, in the middle of whatever it does', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team);
  bob.work();
  await bob.send('interrupt', {});
  await bob.send('permission_response', { request_id: 'x', behavior: 'allow' }, 'user');
  await bob.send('team_permission', { rule: 'Bash(npm test)' }, 'user');
  await bob.send('task_assignment', { task_id: '3', subject: 'the parser' });
  expect(await bob.gets()).toMatchObject([{ text: /Task 3 .*the parser/, wakes: true }]);
  expect(bob.did).toEqual(['interrupted', 'checked answers', 'read rules']);
});

test('idle, it is offered the lowest task that it may take, once, and not while it waits for something', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const bob = teammateIn(team);
  await team.tasks.create({ subject: 'first', description: '' });
  await team.tasks.create({ subject: 'second', description: '' });
  await bob.record.change({ waitingFor: 'plan' });
  await bob.role.lookForWork?.();
  expect(await bob.gets()).toEqual([]);
  await bob.record.change({ waitingFor: undefined });
  await bob.role.lookForWork?.();
  expect(await bob.gets()).toMatchObject([{ text: /first/ }]);
  expect(await team.tasks.get('1')).toMatchObject({ owner: 'bob', ownerGeneration: 1 });
});

test('when the lead’s process is gone it leaves, and what still runs after some heartbeats is cancelled', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  let alive = true;
  const bob = teammateIn(team, { leadAlive: async () => alive });
  await bob.role.beat?.();
  expect(bob.did).toEqual([]);
  alive = false;
  for (let beat = 0; beat < 4; beat++) await bob.role.beat?.();
  expect(bob.did).toEqual(['left', 'left', 'left', 'left', 'ended hard']);
});

test('the lead’s mode at the moment of the change is the limit, not that of the member’s start', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  let limit: 'default' | 'bypassPermissions' = 'default';
  const bob = teammateIn(team, { leadMode: async () => limit });
  await bob.send('mode_set', { mode: 'bypassPermissions' }, 'user');
  await bob.gets();
  expect(bob.state.mode).toBe('default');
  limit = 'bypassPermissions';
  await bob.send('mode_set', { mode: 'bypassPermissions' }, 'user');
  await bob.gets();
  expect(bob.state.mode).toBe('bypassPermissions');
});
