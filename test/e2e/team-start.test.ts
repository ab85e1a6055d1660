import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { run } from '../../src/host/run.js';
import { BIN, stage } from '../helpers/program.js';
import { tmuxStage } from '../helpers/tmuxTeam.js';

const Plan = z.object({
  lead: z.object({ color: z.string() }),
  members: z.array(z.object({ name: z.string(), color: z.string() })),
  settings: z.object({ deny: z.array(z.string()) }),
});

test('colours go by the roster, the lead first, whoever is ready first; given ones stay', async () => {
  await using at = await stage();
  await mkdir(join(at.home, 'templates'), { recursive: true });
  const member = (name: string, more = '') => `  - { name: ${name}, prompt: Wait.${more} }\n`;
  const members = member('a') + member('b', ', color: yellow') + member('c') + member('d');
  await writeFile(join(at.home, 'templates', 'many.md'), `---\nname: many\nmembers:\n${members}---\nWait.\n`);
  const { stdout } = await at.troupe(['run', 'many', '--dry-run', '--output-format', 'json']);
  const { lead, members: planned } = Plan.parse(JSON.parse(stdout));
  expect([lead.color, ...planned.map(({ color }) => color)]).toEqual(['blue', 'green', 'yellow', 'purple', 'orange']);
});

test('a rule of the user’s own settings means the user’s own folder, one of the project the folder of the team', async () => {
  await using at = await stage();
  const user = join(at.folder, 'user', '.claude');
  for (const [folder, rule] of [
    [user, 'Edit(/private/**)'],
    [join(at.folder, '.claude'), 'Edit(/generated/**)'],
  ] as const) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'settings.json'), JSON.stringify({ permissions: { deny: [rule] } }));
  }
  const { stdout } = await at.troupe(['run', 'hello', '--dry-run', '--output-format', 'json']);
  const { deny } = Plan.parse(JSON.parse(stdout)).settings;
  expect(deny.toSorted()).toEqual([`Edit(//${user.slice(1)}/private/**)`, 'Edit(/generated/**)'].toSorted());
});

test('variables of the settings are there when a member’s process starts, those of Node among them', async () => {
  await using team = await tmuxStage('agents: { "*": [{ reply: Noted. }] }');
  await team.template('one', '---\nname: one\nmembers:\n  - { name: worker, prompt: Wait. }\n---\nWait.\n');
  const env = { NODE_OPTIONS: '--title=marked-by-settings', COLOUR_OF_THE_DAY: 'green' };
  await team.ok('up', 'one', '--detach', '--backend', 'tmux', '--settings', JSON.stringify({ env }));
  const { pid } = await team.until('worker', 'idle');
  const started = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
  expect(started).toContain('NODE_OPTIONS=--title=marked-by-settings');
  await team.ok('down');
});

test('a silent pipe as standard input holds a run up for a moment only, and what is piped in goes behind the prompt', async () => {
  await using at = await stage();
  const sh = (line: string) => run('sh', ['-c', line], { env: at.env, cwd: at.folder });
  const heard = () => JSON.stringify(at.server.log().at(-1)?.body);
  const piped = await sh(`echo 'the piped part' | ${process.execPath} ${BIN} run 'Look at this:'`);
  expect(piped.exitCode, piped.stderr).toBe(0);
  expect(heard()).toContain('Look at this: the piped part');
  const silent = await sh(`mkfifo open; exec 3<>open; exec ${process.execPath} ${BIN} run hello <&3`);
  expect(silent.stderr).toContain('Nothing came on standard input');
  expect(heard()).toContain('hello');
});
