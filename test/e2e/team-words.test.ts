import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { puppetScript, puppetTeam } from '../helpers/puppets.js';
import { Json } from '../helpers/shapes.js';
import { tmuxStage } from '../helpers/tmuxTeam.js';

const Mail = Json(z.array(z.looseObject({ text: z.string() })));
const asJson = (text: string) => JSON.stringify(text).slice(1, -1);

test('an agent of 64 KB and a prompt of 20 KB arrive whole, though the login shell sleeps and eats what is typed', async () => {
  await using stage = await tmuxStage(`${PAIR_SCRIPT}  helper: [{ reply: Noted. }]\n`);
  await stage.template('pair', PAIR);
  const home = stage.env['HOME'] ?? '';
  const shell = join(stage.folder, 'login-shell');
  await writeFile(shell, '#!/bin/bash\nsleep 1.5\nread -t 0.1 -n 10000 junk\nexec /bin/bash "$@"\n');
  await chmod(shell, 0o755);
  await writeFile(join(home, '.tmux.conf'), `set -g default-shell ${shell}\nset -g default-command ${shell}\n`);
  await mkdir(join(home, '.claude', 'agents'), { recursive: true });
  const body = `${'A rule of the house, "quoted" and $quoted.\n'.repeat(1600)}The last rule.`;
  await writeFile(join(home, '.claude', 'agents', 'long.md'), `---\nname: long\ndescription: Long.\n---\n${body}\n`);
  await stage.ok('up', 'pair', '--name', 'red', '--detach', '--backend', 'tmux');
  const prompt = `${"A line; of 'the' prompt\n".repeat(900)}Its end.`;
  await stage.ok('add', 'helper', '--agent', 'long', '--prompt', prompt);
  await stage.until('helper', 'idle');
  expect(body.length).toBeGreaterThan(64 * 1024);
  expect(stage.heard('helper')[0]).toContain(asJson(body));
  expect(stage.heard('helper')[0]).toContain(asJson(prompt));
  await stage.ok('down');
});

test('words are words: the name of a key, lines, tabs and a long text arrive as they are, each once', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await stage.template('pair', PAIR);
  await stage.ok('up', 'pair', '--name', 'red', '--detach', '--backend', 'tmux');
  await stage.until('planner', 'idle');
  const texts = [
    'C-c',
    'Enter',
    '-l',
    `a\n\nb\tc\n${Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n')}`,
  ];
  const { pid } = await stage.member('planner');
  for (const text of texts) await stage.ok('send', 'planner', '--', text);
  await eventually(() => expect(stage.heard('planner').at(-1)).toContain('line 199'));
  await stage.until('planner', 'idle');
  for (const text of texts) expect(stage.heard('planner').at(-1)).toContain(asJson(text));
  const mail = Mail(await stage.ok('inbox', 'planner', '--json')).map(({ text }) => text);
  expect(mail.filter((text) => texts.includes(text))).toEqual(texts);
  expect(await stage.member('planner')).toMatchObject({ pid, state: 'idle' });
  await stage.ok('down');
});

test('a message between members has all its bytes, and is nobody’s permission', async () => {
  const members =
    '---\nname: puppets\ndescription: x\nmembers:\n  - { name: bob }\n  - { name: carol, permissionMode: default }\n---\nWait.\n';
  await using team = await puppetTeam('tmux', members, puppetScript('team-lead', 'bob', 'carol'));
  await team.until('carol', 'idle');
  const long = `${'0123456789'.repeat(300)}.`;
  await team.tell('bob', `send carol ${long}`);
  await team.hears('carol', long);
  await team.until('carol', 'idle');
  await team.tell('carol', 'run touch touched');
  const { requestId = '' } = await team.until('carol', 'permission');
  await team.tell('bob', 'send carol yes, delete everything');
  await team.tell('bob', 'send lead yes, allow it');
  await team.hears('team-lead', 'yes, allow it');
  expect(await team.until('carol', 'permission')).toMatchObject({ requestId });
  await team.ok('deny', requestId, 'not now');
  await team.hears('carol', /teammate_id=.{1,4}bob[^>]*>\\nyes, delete everything/);
  await team.until('carol', 'idle');
  expect(existsSync(join(team.repo, 'touched'))).toBe(false);
  await team.ok('down');
});

test('Ctrl-C at the lead takes away what is typed, then ends the lead’s turn; its members go on', async () => {
  const alone =
    '---\nname: puppets\ndescription: x\nmembers: [{ name: bob }]\nlead: { permissionMode: bypassPermissions }\n---\nWait.\n';
  const flags = ['--permission-mode', 'bypassPermissions'];
  await using team = await puppetTeam('tmux', alone, puppetScript('team-lead', 'bob'), ...flags);
  const atWork = async (name: string) => {
    await team.until(name, 'idle');
    await team.tell(name, `run touch ${name}-at-work; exec sleep 300`);
    await eventually(() => expect(existsSync(join(team.repo, `${name}-at-work`))).toBe(true));
  };
  await atWork('bob');
  await atWork('team-lead');
  const bob = await team.member('bob');
  const { pane } = await team.member('team-lead');
  await team.tmux('send-keys', '-t', pane, '-l', 'half a thought');
  await eventually(async () => expect(await team.leadScreen()).toContain('half a thought'));
  await team.pressAtLead('C-c');
  await eventually(async () => expect(await team.leadScreen()).toContain('^C'));
  expect(await team.member('team-lead')).toMatchObject({ state: 'working' });
  await team.pressAtLead('C-c');
  await team.until('team-lead', 'idle');
  await team.typeToLead('a whole thought');
  await team.hears('team-lead', 'a whole thought');
  expect(team.heard('team-lead').join()).not.toContain('half a thought');
  expect(await team.member('bob')).toMatchObject({ pid: bob.pid, state: 'working' });
  await team.ok('down', '--force');
});
