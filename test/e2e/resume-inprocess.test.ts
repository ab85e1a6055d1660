import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, heardBy } from '../helpers/headless.js';
import { BIN, stage } from '../helpers/program.js';
import { terminal } from '../helpers/terminal.js';
import { isRunning } from '../helpers/tmuxTeam.js';

const SCRIPT = `
agents:
  team-lead: [{ reply: Noted by the lead. }]
  digger:
    - { when: { user: '^dig$' }, once: true, reply: [{ tool: Bash, input: { command: 'echo dug >> dug; sleep 100' } }] }
    - { when: { user: 'Go on with what you were doing' }, reply: Taken up again. }
    - { reply: Noted by the digger. }
`;

const PIT = `---
name: pit
description: One who digs.
members:
  - { name: digger, permissionMode: bypassPermissions, prompt: dig }
lead: { permissionMode: bypassPermissions }
---
Wait for the digger.
`;

test('a team inside one process comes back in a terminal after that process was killed in the middle of a tool call', async () => {
  await using staged = await stage(SCRIPT);
  await addTemplate(staged, 'pit', PIT);
  const user = join(staged.env['HOME'] ?? '', '.claude');
  await mkdir(user, { recursive: true });
  const statusLine = { type: 'command', command: 'echo "lines of my own" && cat > /dev/null' };
  await writeFile(join(user, 'settings.json'), JSON.stringify({ statusLine }));
  const troupe = `${process.execPath} ${BIN}`;
  const status = async () => JSON.parse((await staged.troupe(['status', '--json'])).stdout);
  {
    await using before = await terminal(staged.env, staged.folder);
    await before.type(`${troupe} up pit --backend in-process`);
    await eventually(() => expect(existsSync(join(staged.folder, 'dug'))).toBe(true));
    const { lead } = await status();
    process.kill(lead.pid, 'SIGKILL');
    await eventually(async () => expect(await isRunning(lead.pid)).toBe(false));
  }
  await staged.troupe(['send', 'digger', 'A word for later.']);

  await using person = await terminal(staged.env, staged.folder);
  await person.type(`${troupe} resume pit`);
  await eventually(async () => expect(await person.screen()).toContain('digger goes on from its transcript'));
  await eventually(() => expect(heardBy(staged, 'digger').at(-1)).toContain('A word for later.'));
  expect(heardBy(staged, 'digger').join()).toContain('Go on with what you were doing');
  expect(await readFile(join(staged.folder, 'dug'), 'utf8')).toBe('dug\n');
  await eventually(() => expect(heardBy(staged, 'team-lead').join()).toContain('Taken up again.'));
  expect(await status()).toMatchObject({
    state: 'running',
    members: [{ backend: 'in-process' }, { backend: 'in-process' }],
  });
  await eventually(async () => expect(await person.screen()).toMatch(/lines of my own\nlead>/));
  await person.type('/down');
  await eventually(async () => expect((await staged.troupe(['ls'])).stdout).toContain('No teams.'));

  const without = await staged.troupe(['resume', 'pit']);
  expect(without).toMatchObject({ exitCode: 2 });
  expect(without.stderr).toMatch(/needs a terminal, or --detach\. Without either: troupe run --resume [0-9a-f-]{36}/);
});
