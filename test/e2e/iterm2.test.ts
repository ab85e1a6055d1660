import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { fakeIterm2 } from '../helpers/fakeIt2.js';
import { addTemplate, heardBy } from '../helpers/headless.js';
import { BIN, stage } from '../helpers/program.js';
import { terminal } from '../helpers/terminal.js';

const SCRIPT = `
agents:
  team-lead: [{ reply: Noted by the lead. }]
  digger: [{ reply: Dug. }]
`;
const PIT = `---
name: pit
description: One who digs.
members:
  - { name: digger, prompt: dig }
---
Wait for the digger.
`;

test('in iTerm2 a team has its members in sessions beside the lead, another shell can end them, and nothing is left', async () => {
  await using staged = await stage(SCRIPT);
  await using iterm2 = await fakeIterm2(staged.env['HOME'] ?? '');
  await addTemplate(staged, 'pit', PIT);
  const env = { ...staged.env, ...iterm2.environment };
  const troupe = `${process.execPath} ${BIN}`;
  const members = async () => JSON.parse((await staged.troupe(['status', '--json'])).stdout).members;
  await using person = await terminal(env, staged.folder);
  const variables = ['TERM_PROGRAM', 'ITERM_SESSION_ID'].map((name) => `${name}=${env[name]}`).join(' ');
  await person.type(`PATH='${env['PATH']}' ${variables} ${troupe} up pit --name red`);
  await eventually(() => expect(heardBy(staged, 'digger').join()).toContain('dig'));
  await eventually(async () =>
    expect(await members()).toMatchObject([
      { name: 'digger', backend: 'iterm2', state: 'idle' },
      { name: 'team-lead', backend: 'in-process' },
    ]),
  );
  expect(await iterm2.sessions()).toHaveLength(2);

  expect(await staged.troupe(['shutdown', 'digger'])).toMatchObject({ exitCode: 0 });
  await eventually(async () => expect(await iterm2.sessions()).toHaveLength(1));
  expect(await staged.troupe(['restart', 'digger'])).toMatchObject({ exitCode: 0 });
  await eventually(async () => expect(await members()).toMatchObject([{ state: 'idle' }, {}]));
  await person.type('/down');
  await eventually(async () => expect((await staged.troupe(['ls'])).stdout).toContain('No teams.'));
  await eventually(async () => expect(await iterm2.sessions()).toHaveLength(1));
});
