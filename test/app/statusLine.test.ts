import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { theWorld } from '../../src/app/services.js';
import { statusLineIn } from '../../src/app/statusLine/setting.js';
import { createStatusLine } from '../../src/app/statusLine/statusLine.js';
import { homeAt } from '../../src/config/paths.js';
import { loadSettings } from '../../src/config/settings.js';
import { type Clock, systemClock } from '../../src/host/clock.js';
import { isAlive, procStart } from '../../src/host/processes.js';
import { LEAD } from '../../src/team/member.js';
import type { RunRecord } from '../../src/team/runRecord.js';
import { eventually } from '../helpers/eventually.js';
import { launchOf, SETTINGS, teamOnDisk } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';

/** A lead's status line: what it shows, and what is said about it. */
async function bench(first: string | undefined, clock: Clock = systemClock) {
  const team = await teamOnDisk();
  const shown: string[][] = [];
  const notes: string[] = [];
  let command = first;
  const environment = { PATH: process.env['PATH'] ?? '', FROM_LEAD: 'canary' };
  const statusLine = createStatusLine({
    world: { ...theWorld(), home: team.home, clock },
    launch: launchOf({
      member: LEAD,
      role: 'lead',
      home: team.home.root,
      cwd: team.cwd,
      environment,
      model: 'claude-sonnet-4-5-20250929',
    }),
    cwd: () => team.cwd,
    settings: () => ({ ...SETTINGS, ...(command && { statusLine: { type: 'command', command, padding: 1 } }) }),
    lookAtSettings: async () => {},
    show: async (lines) => void shown.push(lines.map((line) => line.map(({ text }) => text).join(''))),
    note: (line) => notes.push(line),
  });
  let record = team.record({ backend: 'in-process' });
  const look = async (patch: Partial<RunRecord> = {}) => {
    record = { ...record, ...patch };
    await team.writeRecord(LEAD, record);
    statusLine.look([{ name: LEAD, record }]);
  };
  return {
    team,
    shown,
    notes,
    close: () => statusLine.close(),
    look,
    /** Looks until so many lines were shown in all. */
    until: (count: number, patch: Partial<RunRecord> = {}) =>
      eventually(async () => {
        await look(patch);
        expect(shown.length).toBe(count);
      }),
    set(now: string | undefined) {
      command = now;
    },
    file: (name: string) => join(team.cwd, name),
    async [Symbol.asyncDispose]() {
      await statusLine.close();
      await team[Symbol.asyncDispose]();
    },
  };
}

test('the command is told the state of the team and what other status lines are told, in the folder and environment of hooks', async () => {
  await using at = await bench('cat > in.json; echo "$FROM_LEAD $TROUPE_MEMBER $(basename "$PWD")"; echo two');
  await at.team.tasks.create({ subject: 'x', description: '' });
  await at.until(1, { costUsd: 1.5, state: 'working', apiMs: 7 });
  expect(at.shown).toEqual([[' canary team-lead@red:1 project', ' two']]);
  const told = JSON.parse(await readFile(at.file('in.json'), 'utf8'));
  expect(told).toMatchObject({
    team: 'red',
    state: 'crashed',
    lead: { name: LEAD },
    members: [{ name: LEAD, state: 'working', costUsd: 1.5 }],
    tasks: { pending: 1, in_progress: 0, completed: 0 },
    session_id: 's',
    cwd: at.team.cwd,
    workspace: { current_dir: at.team.cwd, project_dir: at.team.cwd },
    model: { id: 'claude-sonnet-4-5-20250929', display_name: 'Sonnet 4.5' },
    cost: { total_cost_usd: 1.5, total_api_duration_ms: 7, total_duration_ms: expect.any(Number) },
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
});

test('it runs where something has changed, which a heartbeat is not, and once at a time', async () => {
  await using at = await bench('echo x >> runs; while test -e wait; do sleep 0.05; done; wc -l < runs');
  const runs = async () => (await readFile(at.file('runs'), 'utf8')).length / 2;
  await at.until(1);
  for (let beat = 1; beat < 6; beat++) await at.look({ heartbeat: beat });
  await at.until(1, { heartbeat: 6 });
  expect(await runs()).toBe(1);
  await writeFile(at.file('wait'), '');
  await at.look({ counter: 2, activity: 'Reads' });
  await eventually(async () => expect(await runs()).toBe(2));
  for (let counter = 3; counter < 9; counter++) await at.look({ counter, activity: `Reads ${counter}` });
  expect(await runs()).toBe(2);
  await at.team.file.update((team) => team);
  await rm(at.file('wait'));
  await at.until(3);
  expect(await runs()).toBe(3);
  await at.team.tasks.create({ subject: 'x', description: '' });
  await at.until(4);
});

test('one that fails leaves its line empty and is told of once; a change of the setting counts at once', async () => {
  await using at = await bench('echo half; echo oops >&2; exit 3');
  await at.until(1);
  await at.until(2, { counter: 2, activity: 'x' });
  expect(at.shown).toEqual([[''], ['']]);
  expect(at.notes).toEqual([
    'The statusLine command echo half; echo oops >&2; exit 3 ended with 3 oops: its line stays empty.',
  ]);
  at.set('echo fine');
  await at.until(3);
  at.set(undefined);
  await at.until(4);
  expect(at.shown.slice(2)).toEqual([[' fine'], []]);
});

test('one that hangs is ended with all it has started, and its line is empty', async () => {
  let hasBegun = () => false;
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) =>
      ms === 5000 ? eventually(() => expect(hasBegun()).toBe(true)) : systemClock.sleep(ms, signal),
  };
  await using at = await bench('sleep 1000 & echo $! > child.new; mv child.new child; wait', clock);
  hasBegun = () => existsSync(at.file('child'));
  await at.until(1);
  expect(at.shown).toEqual([['']]);
  expect(at.notes).toEqual([expect.stringContaining('took more than 5 s and was ended')]);
  await expectGone(at.file('child'));
});

test('the end of the session ends what runs of it, and what it has left in the background', async () => {
  await using at = await bench('(setsid sleep 1000 > /dev/null 2>&1 & echo $! > child); echo done');
  await at.until(1);
  at.set('sleep 1000 & echo $! > running; wait');
  await at.look();
  await eventually(async () => expect(await readFile(at.file('running'), 'utf8')).toMatch(/\n$/));
  await at.close();
  await expectGone(at.file('running'));
  if (process.platform === 'linux') await expectGone(at.file('child'));
  expect(at.shown).toEqual([[' done']]);
  await at.look({ counter: 9 });
  expect(at.shown).toEqual([[' done']]);
});

async function expectGone(file: string): Promise<void> {
  const pid = Number(await readFile(file, 'utf8'));
  await eventually(async () => {
    const started = await procStart(pid);
    expect(started !== undefined && (await isAlive({ pid, procStart: started }))).toBe(false);
  });
}

const line = (command: string) => ({ statusLine: { type: 'command', command } });

test.each<[string, Record<string, unknown>, string | undefined]>([
  ['the strongest counts', { project: line('project'), user: line('user') }, 'project'],
  [
    'one of a project that is not trusted does not',
    { untrusted: true, project: line('project'), user: line('user') },
    'user',
  ],
  ['without hooks there is none', { user: { ...line('user'), disableAllHooks: true } }, undefined],
  [
    'without hooks an administrator’s still counts',
    { managed: line('managed'), user: { disableAllHooks: true } },
    'managed',
  ],
  [
    'nor that, where the administrator wants none',
    { managed: { ...line('managed'), disableAllHooks: true } },
    undefined,
  ],
  [
    'only an administrator’s, where only his hooks count',
    { managed: { allowManagedHooksOnly: true }, user: line('user') },
    undefined,
  ],
])('of status lines, %s', async (_, { untrusted, ...files }, expected) => {
  await using dir = await tempDir();
  const at = (path: string) => join(dir.path, path);
  const places: Record<string, string> = {
    managed: 'managed/managed-settings.json',
    project: 'repo/.claude/settings.json',
    user: 'user/.claude/settings.json',
  };
  await mkdir(at('repo/.git'), { recursive: true });
  for (const [place, content] of Object.entries(files)) {
    const path = at(places[place] ?? '');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify(content));
  }
  const loaded = await loadSettings({
    ...{ cwd: at('repo'), userHome: at('user'), home: homeAt(at('troupe')), managed: at('managed') },
    trusted: untrusted !== true,
  });
  expect(statusLineIn(loaded).statusLine?.command).toBe(expected);
});
