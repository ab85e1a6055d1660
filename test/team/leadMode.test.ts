import { expect, test } from 'vitest';
import { leadModeOf, recordLeadMode, setMemberMode } from '../../src/team/leadMode.js';
import { SETTINGS, teamOnDisk } from '../helpers/team.js';

test('the lead’s mode is what the team began with until a person changes it', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  expect(leadModeOf(await team.file.require())).toBeUndefined();
  await team.file.update((file) => ({ ...file, settings: SETTINGS }));
  expect(leadModeOf(await team.file.require())).toBe('acceptEdits');
  await recordLeadMode(team.place, 'plan');
  const after = await team.file.require();
  expect(leadModeOf(after)).toBe('plan');
  expect(after.members.map(({ name, mode }) => [name, mode])).toEqual([
    ['team-lead', 'plan'],
    ['bob', undefined],
  ]);
});

test('whoever sets a member’s mode is told of the lead’s limit, and of a member that does not run', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await recordLeadMode(team.place, 'default');
  await team.writeRecord('bob');
  const file = await team.file.require();
  expect(await setMemberMode(team.place, file, 'bob', 'plan')).toBe('Asked bob for mode plan.');
  expect(await setMemberMode(team.place, file, 'bob', 'acceptEdits')).toMatch(
    /not wider than the lead's, which is default/,
  );
  await team.writeRecord('bob', { state: 'exited' });
  expect(await setMemberMode(team.place, file, 'bob', 'plan')).toMatch(/not running/);
  expect((await team.mail('bob')).map(({ from, payload }) => [from, payload.mode])).toEqual([
    ['user', 'plan'],
    ['user', 'acceptEdits'],
    ['user', 'plan'],
  ]);
  await expect(setMemberMode(team.place, file, 'bobb', 'plan')).rejects.toThrow('Did you mean "bob"?');
});
