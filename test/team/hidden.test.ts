import { expect, test } from 'vitest';
import { withHidden } from '../../src/team/hidden.js';
import type { Member, TeamFile } from '../../src/team/teamFile.js';

const member = (name: string, tmuxPaneId: string): Member => ({
  agentId: `${name}@red`,
  name,
  joinedAt: 0,
  tmuxPaneId,
  cwd: '/',
  subscriptions: [],
});

const team = (hiddenPaneIds: string[] | undefined, ...members: Member[]): TeamFile => ({
  name: 'red',
  createdAt: 0,
  leadAgentId: 'team-lead@red',
  ...(hiddenPaneIds && { hiddenPaneIds }),
  members,
});

test('a pane is put away and shown, and a team in which nothing changes stays as it is', () => {
  const before = team(undefined, member('bob', '%1'));
  expect(withHidden(before, '%1', false)).toBe(before);
  const away = withHidden(before, '%1', true);
  expect(away).toEqual({ ...before, hiddenPaneIds: ['%1'] });
  expect(withHidden(away, '%1', true)).toEqual(away);
  expect(withHidden(away, '%1', false)).toEqual({ ...before, hiddenPaneIds: [] });
});

test('a new pane of a member takes the place of its former one', () => {
  const restarted = team(['%1', '%2'], member('bob', '%7'), member('carol', '%2'));
  expect(withHidden(restarted, '%7', true, '%1').hiddenPaneIds).toEqual(['%2', '%7']);
  expect(withHidden(restarted, '%7', false, '%1').hiddenPaneIds).toEqual(['%2']);
});

test('in another server the id of a former pane may be that of somebody who is put away', () => {
  const resumed = team(['%1'], member('bob', '%3'), member('carol', '%1'));
  expect(withHidden(resumed, '%3', false, '%1').hiddenPaneIds).toEqual(['%1']);
});
