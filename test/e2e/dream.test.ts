import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { heardBy, runJson } from '../helpers/headless.js';
import { type Stage, stage } from '../helpers/program.js';

/** A session of this project that is over. */
async function session({ home, folder }: Stage, said: string): Promise<void> {
  const sessionId = systemIds.uuid();
  const root = join(home, 'sessions', sessionId);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const at = systemClock.now();
  const record = {
    sessionId,
    team: 'old',
    agent: 'team-lead',
    model: 'm',
    mode: 'default',
    cwd: folder,
    startedAt: at,
    endedAt: at,
  };
  await writeFile(join(root, 'session.json'), JSON.stringify(record));
  const line = {
    uuid: systemIds.uuid(),
    parentUuid: null,
    sessionId,
    isSidechain: false,
    type: 'assistant',
    timestamp: 'x',
  };
  const message = { role: 'assistant', content: [{ type: 'text', text: said }] };
  await writeFile(join(root, 'transcript.jsonl'), `${JSON.stringify({ ...line, message })}\n`);
}

const SCRIPT = (file: string) => `
agents:
  team-lead:
    - reply: Done.
  'team-lead/*':
    - when: { turn: 1 }
      capture:
        command: { from: user, match: 'tests run with (.+)' }
        port: { from: user, match: 'port (\\d+)' }
      reply: [{ tool: Write, input: { file_path: ${file}, content: "Tests: {{command}}\\nPort: {{port}}\\n" } }]
    - reply: Two things were noted.
`;

async function dreamt(file: string) {
  const team = await stage(SCRIPT(file));
  await mkdir(team.home, { mode: 0o700 });
  await writeFile(join(team.home, 'settings.json'), '{"autoDream": true}');
  await session(team, 'The tests run with make check');
  await session(team, 'The server listens on port 4711');
  for (const said of ['Nothing.', 'Nothing at all.', 'Still nothing.']) await session(team, said);
  const { exitCode, stderr } = await runJson(team, 'Do it.');
  expect(exitCode, stderr).toBe(0);
  const [folder = ''] = (await readdir(join(team.home, 'memory'))).filter((name) => !name.includes('.dream.'));
  const state = (await readdir(join(team.home, 'memory'))).find((name) => name.endsWith('.dream.json')) ?? '';
  return {
    team,
    folder: join(team.home, 'memory', folder),
    state: JSON.parse(await readFile(join(team.home, 'memory', state), 'utf8')),
  };
}

test('a lead that is done puts what two sessions taught into the memory, and the next lead knows it', async () => {
  const { team, folder, state } = await dreamt('MEMORY.md');
  await using _ = team;
  expect(await readFile(join(folder, 'MEMORY.md'), 'utf8')).toBe('Tests: make check\nPort: 4711\n');
  expect(state).toMatchObject({ last: { files: [join(folder, 'MEMORY.md')], turns: 2 } });
  expect(state.last.sessions).toHaveLength(5);
  expect(heardBy(team, 'team-lead').join()).toContain('Two things were noted.');
  await runJson(team, 'Once more.');
  expect(heardBy(team, 'team-lead').at(-1)).toContain('Tests: make check\\nPort: 4711');
});

test('a dream writes nowhere but in its memory', async () => {
  const { team, folder } = await dreamt('../../outside.md');
  await using _ = team;
  expect(existsSync(join(team.home, 'outside.md'))).toBe(false);
  expect(await readdir(folder)).toEqual([]);
  expect(heardBy(team, 'team-lead/').join()).toContain('You reach nothing but');
});
