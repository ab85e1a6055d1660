import { readdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sendProse, sendProtocol } from '../../src/team/messages.js';
import { DEAD, teamOnDisk } from '../helpers/team.js';

test('a message says who got it, whether they are alive and how many are ahead', async () => {
  await using team = await teamOnDisk({ members: ['bob', 'carol'] });
  const file = await team.file.require();
  await team.writeRecord('bob');
  await team.writeRecord('carol', DEAD);
  const send = (to: string) => sendProse(team.place, file, { from: 'user' }, { to, text: 'hello' });
  expect((await send('BOB')).delivered).toEqual([{ name: 'bob', alive: true, ahead: 0 }]);
  expect((await send('bob')).delivered).toEqual([{ name: 'bob', alive: true, ahead: 1 }]);
  expect((await send('carol')).delivered).toEqual([{ name: 'carol', alive: false, ahead: 0 }]);
  expect((await send('main')).delivered).toEqual([{ name: 'team-lead', alive: false, ahead: 0 }]);
});

test('a run record that nobody can read keeps no mail back', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await writeFile(team.paths.runRecord('bob'), '{');
  const sent = await sendProse(team.place, await team.file.require(), { from: 'user' }, { to: 'bob', text: 'hello' });
  expect(sent.delivered).toEqual([{ name: 'bob', alive: false, ahead: 0 }]);
  expect(await team.inbox('bob').peek()).toMatchObject([{ text: 'hello' }]);
});

test('* reaches everybody but the sender with one id, and one inbox that fails does not keep the others from it', async () => {
  await using team = await teamOnDisk({ members: ['bob', 'carol', 'bad:name'] });
  const sent = await sendProse(
    team.place,
    await team.file.require(),
    { from: 'BOB', color: 'blue' },
    { to: '*', text: 'all' },
  );
  expect(sent.delivered.map(({ name }) => name)).toEqual(['team-lead', 'carol']);
  expect(sent.failed).toMatchObject([{ name: 'bad:name' }]);
  const [message] = await team.inbox('carol').peek();
  expect(message).toMatchObject({ msg_id: sent.msg_id, to: '*', color: 'blue' });
});

test('an unknown name and an empty text are errors that make nothing', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const file = await team.file.require();
  const send = (to: string, text: string) => sendProse(team.place, file, { from: 'user' }, { to, text });
  await expect(send('bbo', 'x')).rejects.toThrow('No member "bbo" in red. Did you mean "bob"? Members: bob');
  await expect(send('../../etc', 'x')).rejects.toThrow('No member');
  await expect(send('bob', ' \n')).rejects.toThrow('empty');
  await expect(send('*', '')).rejects.toThrow('empty');
  expect(await readdir(team.paths.inboxes)).toEqual([]);
});

test('a protocol message has its own type and its payload as JSON, its request’s id beside it', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await sendProtocol(team.place, { from: 'team-lead' }, 'bob', 'shutdown_request', { request_id: 'r1' });
  expect(await team.inbox('bob').peek()).toMatchObject([
    { type: 'shutdown_request', request_id: 'r1', from: 'team-lead', read: false },
  ]);
});
