import { expect, test } from 'vitest';
import { lookedAt } from '../../src/app/look/dashboard.js';
import { theWorld } from '../../src/app/services.js';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { archiveTeam, makeTeamFolders } from '../../src/team/archive.js';
import { teamOnDisk } from '../helpers/team.js';

async function lookedAtTeam() {
  const red = await teamOnDisk({ members: ['bob'] });
  await red.writeRecord('bob');
  const world = { ...theWorld(), home: red.home };
  return { red, ...lookedAt(world, { team: await red.file.require() }) };
}

test('what a person wants is done as the commands do it, and told in a line', async () => {
  const { red, carryOut } = await lookedAtTeam();
  await using _ = red;
  const asked = async (kind: 'plan' | 'permission') => {
    const more =
      kind === 'plan'
        ? { plan: 'Dig.' }
        : {
            tool: 'Bash',
            input: { command: 'make' },
            description: 'Bash: make',
            suggestions: [{ rule: 'Bash(make)' }],
          };
    return (await red.requests.create({ id: systemIds.uuid(), kind, from: 'bob', ...more })).id;
  };
  const [plan, other, once, always, never] = [
    await asked('plan'),
    await asked('plan'),
    await asked('permission'),
    await asked('permission'),
    await asked('permission'),
  ];
  expect(await carryOut({ type: 'approve', id: plan })).toBe('Approved the plan of bob.');
  expect(await carryOut({ type: 'reject', id: other, feedback: 'Smaller.' })).toBe('Rejected the plan of bob.');
  expect(await carryOut({ type: 'allow', id: once, always: false })).toBe('Allowed bob: Bash: make');
  expect(await carryOut({ type: 'allow', id: always, always: true })).toBe('Allowed bob: Bash: make');
  expect(await carryOut({ type: 'deny', id: never, reason: 'no' })).toBe('Denied bob: Bash: make');
  expect(await carryOut({ type: 'send', to: 'bob', text: 'Hello.' })).toBe('Sent to bob.');
  expect(await carryOut({ type: 'interrupt', member: 'bob' })).toBe('bob has no turn to end.');
  await expect(carryOut({ type: 'allow', id: once, always: false })).rejects.toThrow('was approved already');
  await expect(carryOut({ type: 'shutdown', member: 'team-lead' })).rejects.toThrow('The lead ends with its team');

  expect(await red.requests.answerOf(other)).toMatchObject({ by: 'user', approve: false, feedback: 'Smaller.' });
  expect(await red.requests.answerOf(never)).toMatchObject({ by: 'user', approve: false, message: 'no' });
  expect((await red.file.require()).teamRules).toMatchObject([{ behavior: 'allow', rule: 'Bash(make)' }]);
  expect((await red.mail('bob')).filter(({ type }) => type === 'message')).toMatchObject([
    { from: 'user', text: 'Hello.' },
  ]);
});

test('a team that is taken down is looked at in the archive, and a new one of its name is neither shown nor told anything', async () => {
  const { red, find, carryOut } = await lookedAtTeam();
  await using _ = red;
  expect(await find()).toMatchObject({ state: 'crashed', paths: { root: red.paths.root } });
  const path = await archiveTeam(red.home, 'red', systemClock);
  const expected = { state: 'archived', paths: { root: path } };
  expect(await find()).toMatchObject(expected);
  await makeTeamFolders(red.paths);
  await red.file.create({ name: 'red', createdAt: 1, leadAgentId: 'x', members: [red.member('bob')] });
  expect(await find()).toMatchObject(expected);
  await expect(carryOut({ type: 'send', to: 'bob', text: 'x' })).rejects.toThrow('The team has ended');
  expect(await red.mail('bob')).toEqual([]);
});

test('a team that is gone from the archive too is not found, also where its name is another’s by now', async () => {
  const { red, find } = await lookedAtTeam();
  await using _ = red;
  await red.file.update((team) => ({ ...team, createdAt: 7 }));
  expect(await find()).toBeUndefined();
});
