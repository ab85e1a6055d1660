import { expect, test } from 'vitest';
import type { Backend } from '../../../src/panes/backend.js';
import { startMember } from '../../../src/team/start/lifecycle.js';
import { leftBehind, undone } from '../../../src/team/start/undone.js';
import { teamOnDisk } from '../../helpers/team.js';
import { depsIn, membersIn, requestIn } from './starting.js';

test('what a start cannot undo is told behind why it failed, and alone to who knows that it was stopped', async () => {
  await using team = await teamOnDisk();
  const stubborn: Backend = {
    ...membersIn(team, { dies: { code: 3, lastLines: 'SyntaxError: x' } }),
    close: () => Promise.reject(new Error('no server running')),
  };
  const error = await startMember(depsIn(team, stubborn), requestIn(team, 'bob')).catch((reason: unknown) => reason);
  const left = 'Undoing it failed in part: no server running. See troupe doctor.';
  expect(error).toMatchObject({ exitCode: 1, message: expect.stringMatching(/^"bob" ended before it was ready/) });
  expect(error).toMatchObject({ message: expect.stringContaining(`SyntaxError: x\n${left}`) });
  expect(leftBehind(error)).toEqual([left]);
  const whole = undone(error, 'the start', ['rmdir failed']);
  expect(leftBehind(whole)).toEqual([left, 'Undoing the start failed in part: rmdir failed. See troupe doctor.']);
  expect([leftBehind(undone(new Error('x'), 'it', [])), leftBehind(undefined)]).toEqual([[], []]);
});
