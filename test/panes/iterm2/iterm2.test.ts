import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/host/clock.js';
import { run } from '../../../src/host/run.js';
import { createIterm2Backend } from '../../../src/panes/iterm2/backend.js';
import { iterm2Problem, sessionAround } from '../../../src/panes/iterm2/it2.js';
import { eventually } from '../../helpers/eventually.js';
import { fakeIterm2 } from '../../helpers/fakeIt2.js';
import { tempDir } from '../../helpers/tempDir.js';
import { iterm2, PROGRAM, processRef } from '../harness.js';

const IN_ITERM2 = { TERM_PROGRAM: 'iTerm.app', ITERM_SESSION_ID: 'w0t1p2:AB-CD' };

/** An `it2` that says this and fails. */
async function failing(dir: string, words: string): Promise<Record<string, string>> {
  await mkdir(join(dir, 'bin'));
  await writeFile(join(dir, 'bin', 'it2'), `#!/bin/sh\necho "${words}" >&2\nexit 2\n`);
  await chmod(join(dir, 'bin', 'it2'), 0o755);
  return { ...IN_ITERM2, PATH: `${join(dir, 'bin')}:/usr/bin:/bin` };
}

test('what keeps members from iTerm2 is said with the way to change it', async () => {
  await using dir = await tempDir();
  const asked = async (environment: Record<string, string>) => iterm2Problem(run, environment);
  expect(await asked({ PATH: '/usr/bin:/bin' })).toMatch(/no terminal of iTerm2/);
  expect(await asked({ ...IN_ITERM2, TERM_PROGRAM: 'tmux', PATH: '/usr/bin:/bin' })).toMatch(/tmux is in between/);
  expect(await asked({ ...IN_ITERM2, PATH: dir.path })).toMatch(/no it2 on the PATH.*pip install it2/);
  const off = await failing(dir.path, 'Error: Not running inside iTerm2 or Python API not enabled.');
  expect(await asked(off)).toMatch(/Settings → General → Magic → Enable Python API/);
  await using terminal = await fakeIterm2(dir.path);
  expect(await asked(terminal.environment)).toBeUndefined();
  expect(await asked({ ...terminal.environment, ITERM_SESSION_ID: 'w0t0p0:%99' })).toMatch(/no session %99/);
  expect(sessionAround(IN_ITERM2)).toBe('AB-CD');
});

test('it2 that fails in other words is quoted', async () => {
  await using dir = await tempDir();
  expect(await iterm2Problem(run, await failing(dir.path, 'the moon is full'))).toMatch(
    /it2 session list: the moon is/,
  );
});

test.each(['/bin/sh', '/bin/bash', '/bin/zsh', '/usr/bin/fish', '/bin/csh'].filter((shell) => existsSync(shell)))(
  'a member starts from %s with the environment of a launch, and nothing secret is typed',
  async (shell) => {
    await using stage = await iterm2(shell);
    await stage.start('alice');
    const { environment, cwd } = await stage.ready('alice');
    expect(cwd).toBe(stage.dir);
    expect(Object.keys(environment)).not.toContain('NODE_OPTIONS');
    const script = await readFile(join(stage.dir, 'alice.json.sh'), 'utf8');
    expect(script).not.toContain('TERM_PROGRAM');
  },
);

test('a session is closed only while it runs the process that is on record', async () => {
  await using stage = await iterm2();
  const pane = await stage.start('alice');
  const { pid } = await stage.ready('alice');
  const owner = { team: 'red', member: 'alice' };
  await stage.backend.close(pane, { ...owner, process: await processRef(process.pid) });
  await stage.backend.close({ ...pane, ownsPane: false }, owner);
  expect(await stage.terminal.sessions()).toHaveLength(2);
  await stage.backend.close(pane, { ...owner, process: await processRef(pid) });
  expect(await stage.terminal.sessions()).toEqual([stage.terminal.session]);
  await eventually(async () => expect(await stage.backend.effort(pane)).toBeUndefined());
  expect(existsSync(join(stage.dir, 'alice.json.pid'))).toBe(false);
});

test('a member leads a process group of its own, is told of by its signal, and its session ends with it', async () => {
  await using stage = await iterm2();
  const pane = await stage.start('alice');
  const { pid } = await stage.ready('alice');
  process.kill(-pid, 'SIGKILL');
  await eventually(async () =>
    expect(await stage.backend.ended(pane)).toEqual({ code: null, signal: 'SIGKILL', lastLines: '' }),
  );
  await eventually(async () => expect(await stage.terminal.sessions()).toHaveLength(1));
});

test('a session that a person closes before the program runs counts as gone; a folder that is not there starts none', async () => {
  await using stage = await iterm2('/bin/cat');
  const pane = await stage.start('alice');
  expect(await stage.backend.ended(pane)).toBeUndefined();
  const it2 = join(stage.dir, 'it2-bin', 'it2');
  await run(it2, ['session', 'close', '--force', '--session', pane.paneId], { env: stage.terminal.environment });
  await eventually(async () =>
    expect(await stage.backend.ended(pane)).toEqual({ code: null, signal: null, lastLines: '' }),
  );
  const request = { team: 'red', member: 'bob', launchFile: join(stage.dir, 'bob.json'), role: 'teammate' } as const;
  await expect(stage.backend.start({ ...request, cwd: join(stage.dir, 'none') })).rejects.toThrow(/no folder/);
  expect(await stage.terminal.sessions()).toHaveLength(1);
});

test('a home whose path no quotes hold in every shell is an error before anything is opened', async () => {
  await using dir = await tempDir();
  await using terminal = await fakeIterm2(dir.path);
  const folder = join(dir.path, "o'clock");
  await mkdir(folder);
  const { environment, session } = terminal;
  const backend = createIterm2Backend({
    ...{ team: 'red', run, clock: systemClock, environment, program: PROGRAM, session },
    launchFileOf: (member) => join(folder, member),
  });
  const asked = {
    team: 'red',
    member: 'alice',
    cwd: dir.path,
    launchFile: join(folder, 'alice'),
    role: 'teammate',
  } as const;
  await expect(backend.start(asked)).rejects.toThrow(/Set TROUPE_HOME/);
  expect(await terminal.sessions()).toHaveLength(1);
});
