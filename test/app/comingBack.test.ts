import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLeadLook } from '../../src/app/members/leadAlive.js';
import { againRequest } from '../../src/app/start/again.js';
import { systemClock } from '../../src/host/clock.js';
import { thisProcess } from '../../src/host/processes.js';
import { createMemberWatch } from '../../src/lead/watchMembers.js';
import { handOn } from '../../src/team/handOn.js';
import { LEAD } from '../../src/team/member.js';
import { sendProtocol } from '../../src/team/messages.js';
import { openRunRecord, readRunRecord } from '../../src/team/runRecord.js';
import { changeMember } from '../../src/team/teamFile.js';
import { eventually } from '../helpers/eventually.js';
import { DEAD, SETTINGS, teamOnDisk } from '../helpers/team.js';
import { stage } from './stage.js';

test('a member decides to leave at the third look in a row without a lead, and its record says so; a lead that comes back keeps it', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const record = openRunRecord(team.paths.runRecord('bob'), systemClock, team.record());
  const look = createLeadLook(team.place, record);
  const lead = async (process: object) =>
    team.file.update((file) => ({ ...file, leadProcess: { ...DEAD, ...process, claimedAt: 1 } }));
  await lead({});
  expect([await look(), await look()]).toEqual([true, true]);
  await lead(await thisProcess());
  expect(await look()).toBe(true);
  await lead({});
  expect([await look(), await look()]).toEqual([true, true]);
  expect((await readRunRecord(team.paths.runRecord('bob')))?.leaving).toBeUndefined();
  expect(await look()).toBe(false);
  expect((await readRunRecord(team.paths.runRecord('bob')))?.leaving).toBe(true);
});

test('a member that goes on keeps its claims, and what asked its earlier process to end is void', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await team.tasks.create({ subject: 'Dig', description: '' });
  await team.tasks.claim('1', 'bob', 1);
  await team.tasks.update('1', { status: 'in_progress' });
  await sendProtocol(team.place, { from: 'user' }, 'bob', 'shutdown_request', { request_id: team.place.ids.uuid() });
  await team.inbox('bob').deliver({ from: 'user', text: 'Still to be read.' });
  await handOn(team.place, { ...team.member('bob'), generation: 2 }, team.inbox('bob'));
  expect(await team.tasks.get('1')).toMatchObject({ status: 'in_progress', owner: 'bob', ownerGeneration: 2 });
  const mail = await team.inbox('bob').peek();
  expect(mail.filter(({ read }) => !read).map(({ text }) => text)).toEqual(['Still to be read.']);
});

test('a lead that comes back is not told again of an end that the lead before it knew', async () => {
  await using team = await teamOnDisk({ members: ['bob', 'ann'] });
  await team.writeRecord('bob', { ...DEAD, state: 'terminated', endTold: true });
  await team.writeRecord('ann', { ...DEAD, state: 'idle' });
  const { place, tasks, events } = team;
  const watch = createMemberWatch({
    ...{ place, tasks, events, home: team.home.root },
    team: () => team.file.read(),
    show: async () => {},
  });
  await watch();
  expect((await team.mail(LEAD)).map(({ from, type }) => `${type} of ${from}`)).toEqual(['teammate_exited of ann']);
});

test('a member comes back with the mode that its plan leads to, and is sought where its worktree was', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const file = await team.file.update((before) =>
    changeMember(before, 'bob', (bob) => ({
      ...bob,
      ...{ mode: 'plan' as const, modeAfterPlan: 'default' as const, cwd: '/gone', worktreePath: '/gone' },
    })),
  );
  const [, bob] = file.members;
  expect(bob && againRequest(bob, file, SETTINGS)).toMatchObject({
    ...{ name: 'bob', mode: 'plan', modeAfterPlan: 'default', cwd: team.cwd, continues: true },
  });
});

const FREE = { mode: 'bypassPermissions' } as const;
const CUT = `
agents:
  bob:
    - { when: { user: '^begin$' }, once: true, reply: [{ tool: Bash, input: { command: 'echo > began; sleep 100' } }] }
    - { when: { user: 'in the middle of a turn' }, reply: I take it up. }
    - { reply: done }
`;

test('a turn that the end of its process cut short is taken up; one that had ended is not', async () => {
  const { team, start, end, asked } = await stage(CUT);
  const record = () => readRunRecord(team.paths.runRecord('bob'));
  await start({ ...FREE, prompt: 'begin', promptFrom: 'user' });
  await eventually(() => expect(existsSync(join(team.cwd, 'began'))).toBe(true));
  await end();
  await start({ ...FREE, continues: true });
  await eventually(async () => expect(await record()).toMatchObject({ generation: 2, state: 'idle' }));
  const told = async () =>
    (await asked()).filter(({ body }) => JSON.stringify(body.messages.at(-1)).includes('in the middle of a turn'));
  expect(await told()).toHaveLength(1);
  expect(JSON.stringify((await told())[0]?.body.messages.at(-1))).toContain('Your process was started anew');
  await end();
  await start({ ...FREE, continues: true });
  await eventually(async () => expect(await record()).toMatchObject({ generation: 3, state: 'idle' }));
  expect(await told()).toHaveLength(1);
});
