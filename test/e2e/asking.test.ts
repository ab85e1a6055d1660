import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { openTeamFile } from '../../src/team/teamFile.js';
import { eventually } from '../helpers/eventually.js';
import { BACKENDS, type PuppetTeam, puppetScript, puppetTeam } from '../helpers/puppets.js';

const NAMES = ['team-lead', 'carol', 'dave'];
const TEAM = `---
name: puppets
description: Who ask.
members: [{ name: carol }, { name: dave }]
---
Wait.
`;

const touch = (file: string) => ({ tool: 'Bash', input: { command: `touch ${file}` } });
/** A fork of anyone: three calls, of which a rule denies one and a hook allows one. */
const fork = (whose: string) => [
  {
    when: { user: 'Touch as a fork' },
    reply: ['by-rule', 'by-hook', 'by-person'].map((how) => touch(`${whose}-${how}`)),
  },
  { reply: 'I have touched what I could.' },
];
const SCRIPT = JSON.stringify({
  agents: {
    ...z.object({ agents: z.record(z.string(), z.unknown()) }).parse(JSON.parse(puppetScript(...NAMES))).agents,
    'team-lead/*': fork('lead'),
    'carol/*': fork('carol'),
  },
});

const ALLOWS = JSON.stringify({
  hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
});
const SETTINGS = JSON.stringify({
  permissions: { deny: ['Bash(touch *-by-rule)'] },
  hooks: {
    PermissionRequest: [{ hooks: [{ type: 'command', command: `if grep -q by-hook; then echo '${ALLOWS}'; fi` }] }],
  },
});

const Asked = z.array(z.looseObject({ from: z.string(), color: z.optional(z.string()) }));

describe.each(BACKENDS)('a person at the lead of a team on %s', (backend) => {
  let team: PuppetTeam;
  beforeAll(async () => {
    team = await puppetTeam(backend, TEAM, SCRIPT, '--settings', SETTINGS);
    for (const name of NAMES) await team.until(name, 'idle');
  });
  afterAll(async () => {
    await using _ = team;
    await team.ok('down');
  });

  const isThere = (file: string) => existsSync(join(team.repo, file));
  const asked = () => team.asked('permission');
  /** The one request that waits. */
  const request = (from: string, command: string) =>
    eventually(async () => {
      const [one, ...others] = (await asked()).filter(({ description = '' }) => description.includes(command));
      expect([one?.from, others]).toEqual([from, []]);
      return one?.id.slice(0, 8) ?? '';
    });

  test('sees who asks, and for what, in the pane and in a second shell, and allows one call once', async () => {
    await team.tell('carol', 'run touch once');
    const id = await request('carol', 'touch once');
    const [shown] = Asked.parse(JSON.parse(await team.ok('permissions', '--json')));
    expect(shown?.color).toBe((await team.member('carol')).color);
    await eventually(async () => expect(await team.leadScreen()).toMatch(/\[carol\] asks: .*touch once/));
    expect(await team.ok('permissions')).toMatch(/^[0-9a-f-]{36} carol: .*touch once$/m);
    await team.typeToLead(`/allow ${id}`);
    await eventually(() => expect(isThere('once')).toBe(true));
    await team.tell('carol', 'run touch once');
    await team.typeToLead(`/deny ${await request('carol', 'touch once')} once was enough`);
    await team.hears('carol', 'Reason: once was enough');
    await team.tell('carol', 'write note.txt what it would say');
    const write = await request('carol', 'note.txt');
    await eventually(async () => expect(await team.leadScreen()).toContain('│ content: what it would say'));
    expect(await team.ok('permissions', write)).toContain('\n  │ content: what it would say');
    await team.typeToLead(`/deny ${write}`);
    await team.until('carol', 'idle');
  });

  test('allows a call for always: the rule is in the TeamFile, and holds for a member that is running already', async () => {
    await team.tell('carol', 'run mkdir shared');
    const id = await request('carol', 'mkdir shared');
    // What an answer of always would write is shown with the question.
    await eventually(async () =>
      expect(await team.leadScreen()).toContain('always: Bash(mkdir shared), Bash(mkdir *)'),
    );
    await team.typeToLead(`/always ${id}`);
    await eventually(() => expect(isThere('shared')).toBe(true));
    const { teamRules = [] } = await openTeamFile(join(team.root, 'config.json')).require();
    expect(teamRules.map(({ behavior, rule }) => [behavior, rule])).toEqual([
      ['allow', 'Bash(mkdir shared)'],
      ['allow', 'Bash(mkdir *)'],
    ]);
    const before = team.answers('dave').length;
    await team.tell('dave', 'run mkdir shared');
    await eventually(() => expect(team.answers('dave').length).toBeGreaterThan(before));
    expect(team.answers('dave').at(-1)).not.toContain('Denied');
    expect(await asked()).toEqual([]);
    await team.until('dave', 'idle');
  });

  test.each([
    ['team-lead', 'lead'],
    ['carol', 'carol'],
  ])(
    'is asked what a fork of %s asks, in its member’s name, once rules and hooks have had their say',
    async (who, whose) => {
      await team.tell(who, 'agent fork Touch as a fork');
      const id = await request(who, `touch ${whose}-by-person`);
      await eventually(async () =>
        expect(await team.leadScreen()).toMatch(new RegExp(`\\[${who}\\] asks: .*touch ${whose}-by-person`)),
      );
      expect([`${whose}-by-rule`, `${whose}-by-hook`, `${whose}-by-person`].map(isThere)).toEqual([false, true, false]);
      await team.typeToLead(`/allow ${id}`);
      await eventually(() => expect(isThere(`${whose}-by-person`)).toBe(true));
      await eventually(() => {
        const told = team.server.log().filter(({ userId }) => userId.includes(`:${who}/`));
        expect(JSON.stringify(told.at(-1)?.body)).toContain('The permission rule Bash(touch *-by-rule) refuses');
      });
      await team.until(who, 'idle');
      expect(await asked()).toEqual([]);
    },
  );
});
