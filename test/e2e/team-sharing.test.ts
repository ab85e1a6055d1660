import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTeamFile } from '../../src/team/teamFile.js';
import { eventually } from '../helpers/eventually.js';
import { BACKENDS, namesIn, type PuppetTeam, puppetScript, puppetTeam } from '../helpers/puppets.js';

const TEAM = `---
name: puppets
description: Who share files, rules and tasks.
lead: { permissionMode: bypassPermissions }
members:
  - { name: bob }
  - { name: carol, permissionMode: default }
  - { name: dave }
---
Wait.
`;

const NAMES = ['team-lead', 'bob', 'carol', 'dave'];

describe.each(BACKENDS)('a team on %s', (backend) => {
  let team: PuppetTeam;
  beforeAll(async () => {
    team = await puppetTeam(backend, TEAM, puppetScript(...NAMES), '--permission-mode', 'bypassPermissions');
    for (const name of NAMES) await team.until(name, 'idle');
  });
  afterAll(async () => {
    await using _ = team;
    await team.ok('down');
    expect(await namesIn(join(team.folder, 'run', 'troupe'))).toEqual([]);
    const { processes, locks } = await team.traces();
    expect([processes.filter((line) => line.includes('troupe.js')), locks]).toEqual([[], []]);
  });

  const asked = () => team.asked('permission');

  test('a request shows at the lead with its member’s badge; allowed for always, it is asked by nobody again', async () => {
    await team.tell('carol', 'run touch shared-one');
    await team.until('carol', 'permission');
    const [request] = await asked();
    await eventually(async () => expect(await team.leadScreen()).toMatch(/\[carol\] asks: .*touch shared-one/));
    await team.ok('allow', request?.id ?? '', '--always');
    await eventually(() => expect(existsSync(join(team.repo, 'shared-one'))).toBe(true));
    await team.until('carol', 'idle');
    await team.does('carol', 'run touch shared-one');
    expect(await asked()).toEqual([]);
  });

  test('a folder and a rule that come into the TeamFile hold for a running member from its next call on', async () => {
    const file = openTeamFile(join(team.root, 'config.json'));
    const shared = join(team.folder, `shared-${backend}`);
    await mkdir(shared);
    const entry = { addedBy: 'user', addedAt: 0 };
    await file.update((before) => ({
      ...before,
      teamAllowedPaths: [{ path: shared, toolName: 'Write', ...entry }],
      teamRules: [...(before.teamRules ?? []), { behavior: 'deny', rule: 'Bash(touch forbidden)', ...entry }],
    }));
    await team.does('carol', `write ${join(shared, 'note')} words`);
    expect(await readFile(join(shared, 'note'), 'utf8')).toBe('words');
    expect(await asked()).toEqual([]);
    await team.does('bob', 'run touch forbidden');
    expect(existsSync(join(team.repo, 'forbidden'))).toBe(false);
  });

  test('two members that change one file are both told by the harness, and nobody is woken for it', async () => {
    const path = join(team.repo, 'both');
    await team.does('bob', `write ${path} of-bob`);
    await rm(path);
    const heardByBob = team.heard('bob').length;
    await team.does('dave', `write ${path} of-dave`);
    const mail = await team.mail('bob');
    expect(mail.at(-1)).toMatchObject({
      from: 'team',
      type: 'message',
      text: expect.stringContaining('dave has just'),
    });
    await team.hears('dave', `bob changed ${path} within the last 30 s`);
    await eventually(async () => expect((await team.mail('bob')).filter(({ read }) => !read)).toEqual([]));
    expect(team.heard('bob')).toHaveLength(heardByBob);
    await team.tell('bob', 'What is new?');
    await team.hears('bob', /dave has just changed .*What is new\?/);
    await team.until('bob', 'idle');
  });

  test('another session writes through a socket, which acknowledges it; its reader can answer the same way', async () => {
    const [bob, dave] = [await team.member('bob'), await team.member('dave')].map((member) => `${member['socket']}`);
    expect(await team.ok('send', `uds:${bob}`, 'from', 'another', 'shell')).toMatch(/^[0-9a-f-]{36}$/);
    await team.hears('bob', /outside of your team.*teammate_id=.{1,4}uds:user.*from another shell/);
    expect(await team.does('bob', `send uds:${dave} from-bob-elsewhere`)).toMatch(/^Sent as [0-9a-f-]{36} to uds:/);
    const heard = await team.hears('dave', /teammate_id=.{1,4}uds:bob@red.*from-bob-elsewhere/);
    expect(heard).toContain(`uds:${bob}`);
    expect(await team.does('bob', 'send uds:/nowhere/at/all.sock lost')).toContain('No session listens at');
    expect(await team.does('bob', 'send bridge:there lost')).toContain('No bridge to other machines is configured');
    const { exitCode, stderr } = await team.troupe(['send', 'uds:here', 'lost']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('needs the absolute path of a socket')]);
  });

  test('a sub-agent is gone on with by its own member; from a shell it is said whom to ask', async () => {
    const answer = await team.does('bob', 'agent general-purpose Look-around');
    const [, id = ''] = /\[(agent-[0-9a-f]{16}):/.exec(answer) ?? [];
    expect(id).not.toBe('');
    expect(await team.does('bob', `send ${id} once-more`)).toContain(id);
    await eventually(() => {
      const requests = team.server.log().filter(({ userId }) => userId === `troupe:red:bob/${id}`);
      expect(JSON.stringify(requests.at(-1)?.body)).toContain('once-more');
    });
    await team.until('bob', 'idle');
    expect(await team.does('carol', `send ${id} not-yours`)).toContain(`No member "${id}" in red`);
    const { exitCode, stderr } = await team.troupe(['send', id, 'hello']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`"${id}" is an agent of bob's own`)]);
  });

  test('an idle member is given an open task by the harness', async () => {
    const id = await team.ok('tasks', 'add', 'Sweep-the-floor');
    await eventually(async () => {
      const task = JSON.parse(await team.ok('tasks', 'show', id, '--json'));
      expect(NAMES.slice(1)).toContain(task.owner);
      await team.hears(task.owner, `Task ${id} of the shared list is yours: Sweep-the-floor`);
    });
    await team.ok('tasks', 'done', id);
  });

  test('a broadcast reaches all but whose inbox cannot be written, and names that one', async () => {
    await team.ok('shutdown', 'dave');
    await eventually(async () =>
      expect(JSON.stringify(await team.mail('team-lead'))).toMatch(/teammate_exited[^}]*\\"name\\":\\"dave/),
    );
    const inbox = join(team.root, 'inboxes', 'dave.d');
    await rm(inbox, { recursive: true });
    await writeFile(inbox, 'in the way');
    const answer = await team.does('bob', 'send * to-everybody');
    expect(answer).toMatch(/^Sent as [0-9a-f-]{36} to (carol, team-lead|team-lead, carol)\.\nNot delivered to dave: /);
    for (const name of ['team-lead', 'carol']) await team.hears(name, 'to-everybody');
    const { exitCode, stderr } = await team.troupe(['send', '*', 'once more']);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('Not delivered to dave')]);
    await rm(inbox);
    expect((await team.troupe(['interrupt', 'dave'])).exitCode).toBe(1);
  });
});
