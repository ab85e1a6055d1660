import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemIds } from '../../src/host/ids.js';
import { decidePlan } from '../../src/team/decide.js';
import { hasEnded, readRunRecord } from '../../src/team/runRecord.js';
import { eventually } from '../helpers/eventually.js';
import type { TeamOnDisk } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';
import { ends, stage } from './stage.js';

const record = (team: TeamOnDisk) => readRunRecord(team.paths.runRecord('bob'));
const waitsForPlan = (team: TeamOnDisk) =>
  eventually(async () => {
    const now = await record(team);
    expect(now).toMatchObject({ state: 'working', waitingFor: 'plan' });
    return now?.requestId ?? '';
  });

const PLANNER = `
agents:
  bob:
    - { when: { user: "approved by" }, once: true, reply: [{ tool: Write, input: { file_path: out.txt, content: after } }] }
    - { when: { user: "^begin$" }, once: true, reply: [{ tool: Write, input: { file_path: out.txt, content: before } }] }
    - { when: { tool: Write, result: "plan" }, once: true, reply: [{ tool: ExitPlanMode, input: { plan: Write out.txt. } }] }
    - { reply: done }
`.replaceAll('out.txt', 'OUT');
const PLANS = { mode: 'plan', modeAfterPlan: 'acceptEdits', prompt: 'begin', promptFrom: 'user' } as const;

async function planner() {
  // The script names an absolute path, which is known once the team is there.
  const path = join('/tmp', `troupe-out-${process.pid}-${systemIds.hex(8)}.txt`);
  ends.push(() => rm(path, { force: true }));
  const staged = await stage(PLANNER.replaceAll('OUT', path));
  await staged.team.file.update((file) => ({
    ...file,
    teamAllowedPaths: [{ path: '/tmp', toolName: 'Write', addedBy: 'user', addedAt: 0 }],
  }));
  return { ...staged, path };
}

test('before its plan is approved it writes nothing, whatever its model does; after it, it goes on by itself', async () => {
  const { team, start, path } = await planner();
  await start(PLANS);
  const id = await waitsForPlan(team);
  expect(existsSync(path)).toBe(false);
  await decidePlan(team.place, await team.file.require(), 'user', id, { approve: true });
  await eventually(async () => expect((await record(team))?.state).toBe('idle'));
  expect(existsSync(path)).toBe(true);
});

test('a restart while a plan waits goes on waiting for it; the answer reaches the new process', async () => {
  const { team, start, end, path } = await planner();
  await start(PLANS);
  const id = await waitsForPlan(team);
  await end();
  const { prompt: _, promptFrom: __, ...again } = PLANS;
  await start({ ...again, continues: true });
  expect(await waitsForPlan(team)).toBe(id);
  await decidePlan(team.place, await team.file.require(), 'user', id, { approve: true });
  await eventually(() => expect(existsSync(path)).toBe(true));
});

test.each(['while it runs', 'while it does not'])(
  'an answer whose sender died before it told of it lets a member on: it came %s',
  async (when) => {
    const { team, start, end, path } = await planner();
    await start(PLANS);
    const id = await waitsForPlan(team);
    const { prompt: _, promptFrom: __, ...again } = PLANS;
    if (when === 'while it does not') await end();
    await team.requests.answer({ id, by: 'user', approve: true });
    if (when === 'while it does not') await start({ ...again, continues: true });
    await eventually(() => expect(existsSync(path)).toBe(true));
    const told = (await team.mail('bob')).filter(({ type }) => type === 'plan_approval_response');
    expect(told).toHaveLength(1);
  },
);

test('a new member of a dead one’s name is not let out of plan mode by the dead one’s plan', async () => {
  const { team, start, end } = await planner();
  await start(PLANS);
  const id = await waitsForPlan(team);
  await end();
  const { prompt: _, ...silent } = PLANS;
  await start(silent);
  await eventually(async () => expect((await record(team))?.state).toBe('idle'));
  expect(await team.requests.open()).toEqual([]);
  await expect(decidePlan(team.place, await team.file.require(), 'user', id, { approve: true })).rejects.toThrow(
    /rejected already, by bob/,
  );
});

test('whoever reads that a member has ended finds its session and the log of events ended too', async () => {
  const { team, start, end } = await stage('agents: { bob: [{ reply: done }] }');
  const { member } = await start({});
  const readAtItsEnd = async () => {
    for (;;) {
      const now = await record(team);
      if (now && hasEnded(now)) break;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return {
      session: JSON.parse(readFileSync(team.home.session(member.sessionId ?? '').record, 'utf8')),
      events: readFileSync(team.paths.events, 'utf8'),
    };
  };
  const [{ session, events }] = await Promise.all([readAtItsEnd(), end()]);
  expect(session).toMatchObject({ endedAt: expect.any(Number) });
  expect(events).toContain('"type":"exited"');
});

test('a session that crashes in a process that lives on says in its record that it is gone', async () => {
  const { team, start } = await stage('agents:\n  bob:\n    - { reply: hello }\n');
  const { member } = await start({});
  // Its transcript cannot be written any more.
  await rm(team.home.session(member.sessionId ?? '').root, { recursive: true });
  await team.inbox('bob').deliver({ from: 'user', text: 'hello' });
  await eventually(async () => expect(await record(team)).toMatchObject({ state: 'exited', exit: { code: 1 } }));
});

test('a hook on the beginning of sessions is run for a member that has nothing to do yet', async () => {
  await using dir = await tempDir();
  const { path } = dir;
  const events = { SessionStart: [{ hooks: [{ type: 'command', command: `touch ${join(path, 'begun')}` }] }] };
  const { start, team } = await stage('agents:\n  bob: [{ reply: done }]\n', {
    settings: { hooks: { projectDir: path, sources: [{ file: 'settings.json', events }] } },
  });
  await start({});
  await eventually(() => expect(existsSync(join(path, 'begun'))).toBe(true));
  await eventually(async () => expect(await record(team)).toMatchObject({ state: 'idle', turns: 0 }));
});
