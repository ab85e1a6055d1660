import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const PAIR = `---
name: pair
description: Two, one of whom is at work.
lead: { permissionMode: bypassPermissions }
members:
  - { name: reviewer, prompt: Wait. }
---
Begin.
`;
/** The lead rests, or its call ends only when the test says so. */
const RESTS = "agents: { '*': [{ reply: Noted. }] }";
const GATE = 'until test -e $HOME/gate; do sleep 0.1; done';
const WORKS = `
agents:
  team-lead: [{ when: { turn: 1 }, reply: [{ tool: Bash, input: { command: '${GATE}' } }] }, { reply: Noted. }]
  '*': [{ reply: Noted. }]
`;

const processesOf = async (stage: TmuxStage, team: string) =>
  (await stage.traces()).processes.filter((line) => line.includes(`teams/${team}/`));

test.each([
  { what: 'at rest', script: RESTS, state: 'idle' },
  { what: 'in the middle of a call', script: WORKS, state: 'working' },
])(
  'a team whose folder somebody removed, its lead $what, stands in nobody’s way, and its processes end by themselves',
  async ({ script, state }) => {
    await using stage = await tmuxStage(script);
    await stage.template('pair', PAIR);
    await stage.ok('up', 'pair', '--name', 'hands', '--detach', '--backend', 'tmux');
    await stage.until('reviewer', 'idle');
    await stage.until('team-lead', state);
    // Somebody may just be writing into it.
    await eventually(() => rm(join(stage.home, 'teams', 'hands'), { recursive: true, force: true }));
    await writeFile(join(stage.env['HOME'] ?? '', 'gate'), '');
    await stage.ok('up', 'pair', '--name', 'other', '--detach', '--backend', 'tmux');
    expect(await stage.ok('ls')).not.toContain('hands');
    await stage.until('reviewer', 'idle');
    await eventually(async () => expect(await processesOf(stage, 'hands')).toEqual([]));
    await stage.ok('down');
  },
);
