import { appendFile, chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeReport } from '../../src/app/look/report.js';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { archiveTeam } from '../../src/team/archive.js';
import { sendProse } from '../../src/team/messages.js';
import { DEAD, SETTINGS, type TeamOnDisk, teamOnDisk } from '../helpers/team.js';
import { parsedPage } from '../report/page/parsed.js';

const T0 = Date.UTC(2026, 0, 2, 3, 4, 5);
const at = (seconds: number) => new Date(T0 + seconds * 1000).toISOString();

const worldOf = ({ home }: TeamOnDisk) => ({ home, clock: systemClock, ids: systemIds });

async function pageOf(red: TeamOnDisk, team = 'red') {
  const { path, bytes } = await writeReport(worldOf(red), team, { file: join(red.dir, 'red.html'), force: false });
  const text = await readFile(path, 'utf8');
  expect(Buffer.byteLength(text)).toBe(bytes);
  return { text, ...parsedPage(text) };
}

/** A conversation of a session: lines as they are given, or texts as what a line holds instead. */
async function speak(path: string, lines: readonly (object | string)[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const line = (one: object) => ({ uuid: 'u', parentUuid: null, sessionId: 's', isSidechain: false, ...one });
  await appendFile(path, lines.map((one) => `${typeof one === 'string' ? one : JSON.stringify(line(one))}\n`).join(''));
}

const said = (type: 'user' | 'assistant', seconds: number, content: unknown) => ({
  type,
  timestamp: at(seconds),
  message: { role: type, content },
});
const bash = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: `run ${id}` } });
const result = (id: string, content = 'done') => ({ type: 'tool_result', tool_use_id: id, content });

/** A team of lead, bob and ann that has done something of each kind. */
async function aRun(): Promise<TeamOnDisk> {
  const red = await teamOnDisk({ members: ['bob', 'ann'] });
  await red.file.update((team) => ({ ...team, createdAt: T0 }));
  const session = async (name: string) => {
    const team = await red.file.require();
    return red.home.session(team.members.find((one) => one.name === name)?.sessionId ?? '');
  };
  const events = ['spawned', 'exited'].flatMap((type, index) =>
    ['team-lead', 'bob', 'ann'].map((member) => ({ seq: 1, at: at(60 * index), type, member })),
  );
  const denied = {
    seq: 1,
    at: at(8),
    type: 'tool_denied',
    member: 'bob',
    tool_name: 'Bash',
    tool_use_id: 'b2',
    tool_input: { command: 'run b2' },
    because: 'No rule allows it.',
  };
  await writeFile(red.paths.events, [...events, denied].map((event) => `${JSON.stringify(event)}\n`).join(''));
  await appendFile(red.paths.events, 'foreign\n');
  await speak((await session('team-lead')).transcript, [
    said('user', 0, 'Begin.'),
    said('assistant', 50, [{ type: 'text', text: 'All done: <script>alert(1)</script>' }]),
  ]);
  const bob = await session('bob');
  await speak(bob.transcript, [
    said('user', 1, 'Dig.'),
    '{"type":"user","torn',
    '{"of":"another program"}',
    said('assistant', 5, [bash('b1'), bash('b2')]),
    said('user', 9, [result('b1', '</pre></script><img src=x onerror=alert(1)>'), result('b2')]),
    said('assistant', 10, [{ type: 'text', text: 'Dug.' }]),
  ]);
  await mkdir(bob.agents, { recursive: true });
  const agent = {
    agentId: 'agent-1',
    agentType: 'Explore',
    description: 'Look',
    prompt: 'p',
    model: 'm',
    mode: 'plan',
    cwd: '/',
    parent: 'bob',
    depth: 1,
    origin: 'fresh',
    status: 'completed',
    startedAt: T0,
    endedAt: T0 + 2000,
  };
  await writeFile(join(bob.agents, 'agent-1.json'), JSON.stringify(agent));
  await speak(join(bob.agents, 'agent-1.jsonl'), [said('assistant', 1, [bash('s1')])]);
  await red.writeRecord('team-lead', {
    ...DEAD,
    state: 'exited',
    turns: 3,
    exit: { code: 0, signal: null, forced: false },
  });
  await red.writeRecord('bob', {
    ...DEAD,
    turns: 2,
    models: { 'claude-opus-5-5': { input: 1, output: 2, cacheRead: 3, cacheWrite: 0, costUsd: 0.5 } },
  });
  await sendProse(red.place, await red.file.require(), { from: 'bob' }, { to: '*', text: 'Look here.' });
  await writeFile(red.paths.runRecord('ann'), '{');
  await writeFile(
    join(red.paths.inboxes, 'ann.log.jsonl'),
    `${JSON.stringify({ msg_id: 'old', msgV: 1, type: 'message', from: 'user', text: 'Long ago.', timestamp: at(2), read: true })}\ntorn`,
  );
  await red.tasks.create({ subject: 'Dig', description: 'Deep.' });
  const { id } = await red.requests.create({
    id: systemIds.uuid(),
    kind: 'permission',
    from: 'bob',
    tool: 'Bash',
    input: { command: 'touch x' },
  });
  await red.requests.answer({ id, by: 'user', approve: false, message: 'Not there.' });
  return red;
}

test('a run is told from its files: who worked, what was called, said, decided and spent', async () => {
  await using red = await aRun();
  const { byId, all, errors } = await pageOf(red);
  expect(errors).toEqual([]);
  expect(byId('result').text).toContain('All done: <script>alert(1)</script>');
  expect(all('header')[0]?.text).toContain('stopped');
  expect(all('header')[0]?.text).toContain('1 min');
  expect(byId('calls-1').text).toMatch(
    /2 tool calls.*run b1.*<\/pre><\/script><img src=x onerror=alert\(1\)>.*run b2 denied/s,
  );
  expect(byId('calls-1').text).toContain('Sub-agent Look Explore, m: completed in 2 s, 1 tool call');
  expect(all('img')).toEqual([]);
  expect(byId('mail').text).toMatch(/you to ann .*Long ago\..*bob to all \(2\).*Look here\./s);
  expect(byId('permissions').text).toMatch(/bobBashtouch x\s*denied by you.*: Not there\./);
  expect(byId('permissions').text).toMatch(/bobBashrun b2No rule allows it\./);
  expect(byId('costs').text).toMatch(/bob\s*claude-opus-5-51032/);
  expect(byId('tasks').text).toContain('Dig');
  expect(byId('members').text).toMatch(/bobterminated.*Last reportDug\./s);
});

test('what is torn, foreign or broken is left out and counted, and takes nothing else away', async () => {
  await using red = await aRun();
  const left = (await pageOf(red)).byId('missing').inside.flatMap(({ name, text }) => (name === 'li' ? [text] : []));
  expect(left).toEqual(
    expect.arrayContaining([
      `1 line of the event log could not be read: ${red.paths.events}`,
      expect.stringMatching(/^2 lines of the transcript of bob could not be read: .*transcript\.jsonl$/),
      expect.stringMatching(/^1 line of an inbox could not be read: .*ann\.log\.jsonl$/),
      expect.stringMatching(/ann\.json could not be read: .* is not JSON/),
    ]),
  );
});

test('an archived team is told by its name, and nothing of its settings or launches is on the page', async () => {
  await using red = await aRun();
  await red.file.update((team) => ({ ...team, settings: { ...SETTINGS, systemPrompt: 'SECRET-1' } }));
  await writeFile(red.paths.launchFile('bob'), '{"environment":{"KEY":"SECRET-2"}}');
  const path = await archiveTeam(red.home, 'red', systemClock);
  await writeFile(join(path, 'launch', 'bob.json'), '{"environment":{"KEY":"SECRET-2"}}');
  const { text, all } = await pageOf(red);
  expect(all('header')[0]?.text).toContain('archived');
  expect(all('header')[0]?.text).toContain(path);
  expect(text).not.toMatch(/SECRET/);
});

test('a long transcript makes a bounded page that says what is left out and where it is', async () => {
  await using red = await aRun();
  const { members } = await red.file.require();
  const { transcript } = red.home.session(members[2]?.sessionId ?? '');
  const long = 'x<&"'.repeat(500);
  for (let round = 0; round < 10; round++)
    await speak(
      transcript,
      Array.from({ length: 100 }, (_, index) => `c${round}-${index}`).flatMap((id) => [
        said('assistant', round, [bash(id)]),
        said('user', round, [result(id, long)]),
      ]),
    );
  expect((await stat(transcript)).size).toBeGreaterThan(2_000_000);
  const { text, byId } = await pageOf(red);
  expect(text.length).toBeLessThan(2_500_000);
  expect(byId('calls-2').text).toContain('1\u202f000 tool calls');
  expect(byId('missing').text).toContain(`600 tool calls of ann; all of them are in ${transcript}.`);
});

describe('the file', () => {
  const write = (red: TeamOnDisk, file: string, force = false) => writeReport(worldOf(red), 'red', { file, force });

  test('is its user\u2019s alone, keeps the permissions that it has been given, and a link to it stays one', async () => {
    await using red = await teamOnDisk();
    const path = join(red.dir, 'red.html');
    expect((await write(red, path)).path).toBe(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await chmod(path, 0o644);
    const link = join(red.dir, 'link.html');
    await symlink('red.html', link);
    const before = (await stat(path)).ino;
    await write(red, link);
    expect((await stat(path)).mode & 0o777).toBe(0o644);
    expect((await stat(path)).ino).not.toBe(before);
    expect((await stat(link)).ino).toBe((await stat(path)).ino);
  });

  test('is replaced where it is a report, and anything else only by force', async () => {
    await using red = await teamOnDisk();
    const path = join(red.dir, 'notes.html');
    for (const other of ['<!doctype html>\n<html lang="en">My notes', '']) {
      await writeFile(path, other);
      await expect(write(red, path)).rejects.toMatchObject({
        message: `${path} is there already and is no report of troupe's. Name another file, or say --force.`,
        exitCode: 2,
      });
      expect(await readFile(path, 'utf8')).toBe(other);
    }
    await write(red, path, true);
    await write(red, path);
  });

  test('that cannot be one is refused with its reason and exit code 2, and nothing is left beside it', async () => {
    await using red = await teamOnDisk();
    const none = join(red.dir, 'none');
    await expect(write(red, join(none, 'x.html'))).rejects.toMatchObject({
      message: `${none}/x.html cannot be written: there is no folder ${none}. Make it first, or name another file.`,
      exitCode: 2,
    });
    await expect(write(red, red.dir, true)).rejects.toThrow(`${red.dir} is a folder: name a file.`);
    await expect(write(red, '/dev/null', true)).rejects.toThrow('/dev/null is no file: name a file.');
    await writeFile(none, '');
    await expect(write(red, join(none, 'x.html'))).rejects.toMatchObject({
      message: expect.stringMatching(/x\.html cannot be written: ENOTDIR: not a directory$/),
      exitCode: 2,
    });
    await expect(writeReport(worldOf(red), 'rde', { file: join(red.dir, 'y.html'), force: false })).rejects.toThrow(
      'Did you mean "red"?',
    );
    await expect(stat(join(red.dir, 'y.html'))).rejects.toThrow('ENOENT');
  });
});
