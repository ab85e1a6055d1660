import { expect, test } from 'vitest';
import {
  addressed,
  checkNewMemberName,
  checkTeamName,
  findMember,
  nextColor,
  requireMember,
} from '../../src/team/member.js';
import { changeMember, type Member, withMember, withoutMember } from '../../src/team/teamFile.js';
import { COLORS } from '../../src/util/colors.js';

const member = (name: string): Member => ({
  agentId: `${name}@red`,
  name,
  joinedAt: 0,
  tmuxPaneId: '',
  cwd: '/',
  subscriptions: [],
});
const team = {
  name: 'red',
  createdAt: 0,
  leadAgentId: 'team-lead@red',
  members: ['team-lead', 'alice', 'carol', 'rob'].map(member),
};

test.each(['team-lead', 'Lead', 'MAIN', 'user', 'human', 'all', '*'])('%s is reserved for a new member', (name) => {
  expect(() => checkNewMemberName(name)).toThrow(/reserved/);
});

test.each(['../x', 'a/b', '-a', '.a', '', 'a:b', 'a b', 'x'.repeat(65)])(
  '%j is no name, and the error says why',
  (name) => {
    expect(() => checkTeamName(name)).toThrow(/cannot be the name of a team: it |cannot be the name of a team: only /);
    expect(() => checkNewMemberName(name)).toThrow(/cannot be the name of a member/);
  },
);

test('lead and main in any case address the lead, other words themselves', () => {
  expect(['lead', 'Main', 'TEAM-LEAD', 'alice'].map(addressed)).toEqual([
    'team-lead',
    'team-lead',
    'team-lead',
    'alice',
  ]);
});

test('a member is found whatever the case, and an unknown one is an error that names the nearest', () => {
  expect(findMember(team, 'ALICE')?.name).toBe('alice');
  expect(findMember(team, 'main')?.name).toBe('team-lead');
  expect(() => requireMember(team, 'bob')).toThrow(
    'No member "bob" in red. Did you mean "rob"? Members: alice, carol, rob',
  );
  expect(() => requireMember({ ...team, members: [] }, 'bob')).toThrow(
    'No member "bob" in red. Members: none but the lead',
  );
});

test('colours are given in order, then round again', () => {
  const used: string[] = [];
  for (let n = 0; n < 9; n++) used.push(nextColor(used));
  expect(used).toEqual([...COLORS, 'blue']);
  expect(nextColor(['green'])).toBe('blue');
});

test('a member of a known name takes the slot of the one before, in its place', () => {
  const names = ({ members }: typeof team) => members.map(({ name }) => name);
  expect(names(withMember(team, member('Alice')))).toEqual(['team-lead', 'Alice', 'carol', 'rob']);
  expect(names(withMember(team, member('dave')))).toEqual(['team-lead', 'alice', 'carol', 'rob', 'dave']);
  expect(names(withoutMember(team, 'CAROL'))).toEqual(['team-lead', 'alice', 'rob']);
  expect(changeMember(team, 'rob', (rob) => ({ ...rob, color: 'red' })).members[3]).toMatchObject({
    name: 'rob',
    color: 'red',
  });
});
