import { expect, test } from 'vitest';
import { systemIds } from '../../src/host/ids.js';
import { decidePermission, decidePlan } from '../../src/team/decide.js';
import { SETTINGS, type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

async function asked(team: TeamOnDisk, kind: 'plan' | 'permission', suggestions: object[] = []) {
  const id = systemIds.uuid();
  await team.requests.create({ id, kind, from: 'bob', tool: 'Bash', suggestions });
  return id;
}

test('a plan’s answer is in its file, in a message to the asker and in the events', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const id = await asked(team, 'plan');
  await decidePlan(team.place, await team.file.require(), 'team-lead', id.slice(0, 8), {
    approve: true,
    feedback: 'good',
    mode: 'default',
  });
  expect(await team.requests.answerOf(id)).toMatchObject({
    by: 'team-lead',
    approve: true,
    feedback: 'good',
    mode: 'default',
  });
  expect(await team.mail('bob')).toMatchObject([
    { type: 'plan_approval_response', from: 'team-lead', payload: { request_id: id, approve: true, feedback: 'good' } },
  ]);
  expect(await team.events.read()).toMatchObject([{ type: 'plan_decided', member: 'bob', id, approve: true }]);
});

test('of many answers at once one wins, the others are errors to their senders, and one message goes out', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const id = await asked(team, 'plan');
  const file = await team.file.require();
  const answers = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) =>
      decidePlan(team.place, file, index % 2 ? 'user' : 'team-lead', id, { approve: index % 2 === 0, feedback: 'x' }),
    ),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled').length).toBe(1);
  expect((await team.mail('bob')).length).toBe(1);
  await expect(decidePlan(team.place, file, 'user', id, { approve: true })).rejects.toThrow(/already, by/);
});

test('where the user decides on plans the lead may not; a rejection needs feedback; nothing is answered by that', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const id = await asked(team, 'plan');
  const file = { ...(await team.file.require()), approver: 'human' as const };
  await expect(decidePlan(team.place, file, 'team-lead', id, { approve: true })).rejects.toThrow('decided by the user');
  await expect(decidePlan(team.place, file, 'user', id, { approve: false, feedback: ' ' })).rejects.toThrow('feedback');
  expect((await team.requests.open()).map((request) => request.id)).toEqual([id]);
  await decidePlan(team.place, file, 'user', id, { approve: true });
});

test('a plan’s id answers no permission, nor the other way round', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const file = await team.file.require();
  const plan = await asked(team, 'plan');
  await expect(decidePermission(team.place, file, plan, { allow: true })).rejects.toThrow('No open permission request');
  expect((await team.requests.open()).length).toBe(1);
});

test('a denial tells its reason', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const id = await asked(team, 'permission');
  await decidePermission(team.place, await team.file.require(), id, { allow: false, message: 'use npm' });
  expect(await team.mail('bob')).toMatchObject([
    { type: 'permission_response', from: 'user', payload: { behavior: 'deny', message: 'use npm' } },
  ]);
});

test('always: the rule is in the TeamFile and every member is told to read it', async () => {
  await using team = await teamOnDisk({ members: ['bob', 'carol'] });
  const id = await asked(team, 'permission', [{ behavior: 'allow', rule: 'Bash(make)' }]);
  await decidePermission(team.place, await team.file.require(), id, { allow: true, always: true });
  expect((await team.file.require()).teamRules).toMatchObject([
    { behavior: 'allow', rule: 'Bash(make)', addedBy: 'user' },
  ]);
  for (const name of ['bob', 'carol', 'team-lead'])
    expect(await team.mail(name)).toContainEqual(
      expect.objectContaining({ type: 'team_permission', payload: expect.objectContaining({ rule: 'Bash(make)' }) }),
    );
});

test('always, where no rule would allow just this call, is an error, and the request stays open', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const id = await asked(team, 'permission');
  const file = await team.file.require();
  await expect(decidePermission(team.place, file, id, { allow: true, always: true })).rejects.toThrow(
    'without --always',
  );
  expect((await team.requests.open()).length).toBe(1);
  expect((await team.file.require()).teamRules).toBeUndefined();
});

test('always, where only an administrator’s rules allow anything, is an error, and no rule is added', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const id = await asked(team, 'permission', [{ behavior: 'allow', rule: 'Bash(make)' }]);
  const file = await team.file.require();
  const managed = { ...file, settings: { ...SETTINGS, onlyManagedRules: true } };
  await expect(decidePermission(team.place, managed, id, { allow: true, always: true })).rejects.toThrow(
    'allowManagedPermissionRulesOnly',
  );
  expect((await team.file.require()).teamRules).toBeUndefined();
  await decidePermission(team.place, managed, id, { allow: true });
});
