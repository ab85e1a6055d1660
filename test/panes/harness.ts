import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/host/clock.js';
import { procStart } from '../../src/host/processes.js';
import { run } from '../../src/host/run.js';
import type { Backend, Pane, PaneRequest } from '../../src/panes/backend.js';
import { createInProcessBackend } from '../../src/panes/inProcess.js';
import { createIterm2Backend } from '../../src/panes/iterm2/backend.js';
import { createTmuxBackend, type TmuxBackend, type TmuxBackendOptions } from '../../src/panes/tmux/backend.js';
import { startOwnServer } from '../../src/panes/tmux/server.js';
import { eventually } from '../helpers/eventually.js';
import { fakeIterm2 } from '../helpers/fakeIt2.js';
import { tempDir } from '../helpers/tempDir.js';

export const PROGRAM = [process.execPath, join(import.meta.dirname, 'fakeMember.js')];

export interface Facts {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly pid: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface Dies {
  readonly words: string;
  readonly code?: number;
  readonly signal?: string;
}

/** A backend and a folder of launch files for the fake member. */
export interface Stage<B extends Backend = Backend> extends AsyncDisposable {
  readonly backend: B;
  readonly dir: string;
  start(member: string, options?: { dies?: Dies; role?: PaneRequest['role'] }): Promise<Pane>;
  /** What the member said when it was ready. */
  ready(member: string): Promise<Facts>;
}

interface LaunchOptions {
  readonly dies?: Dies;
  readonly role?: PaneRequest['role'];
}

export function stageOn<B extends Backend>(backend: B, dir: string, stop: () => Promise<void>, team = 'red'): Stage<B> {
  const readyFile = (member: string) => join(dir, `${member}.ready`);
  return {
    backend,
    dir,
    async start(member, { dies, role = 'teammate' }: LaunchOptions = {}) {
      const launchFile = join(dir, `${member}.json`);
      await writeFile(launchFile, JSON.stringify({ name: member, ready: readyFile(member), dies }));
      return backend.start({ team, member, cwd: dir, launchFile, role });
    },
    ready: (member) => eventually(async () => JSON.parse(await readFile(readyFile(member), 'utf8'))),
    [Symbol.asyncDispose]: stop,
  };
}

/** What a test's programs may see of this machine. */
export function environmentIn(dir: string, more: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: dir, TMUX_TMPDIR: dir, ...more };
}

export interface OwnServerOptions {
  readonly team?: string;
  /** The user's tmux configuration. */
  readonly config?: string;
  readonly environment?: Record<string, string>;
  readonly options?: Partial<TmuxBackendOptions>;
}

/** A team's own server in a folder of its own. */
export async function ownServer(given: OwnServerOptions = {}) {
  const { team = 'red', config = '', environment: more, options } = given;
  const dir = await tempDir();
  await writeFile(join(dir.path, '.tmux.conf'), config);
  const environment = environmentIn(dir.path, more);
  const { facts, leadPane } = await startOwnServer({ team, home: dir.path, run, clock: systemClock, environment });
  const backend: TmuxBackend = createTmuxBackend({
    facts,
    team,
    run,
    clock: systemClock,
    environment,
    program: PROGRAM,
    leadPane,
    layout: 'panes',
    ...options,
  });
  const stop = async () => {
    await run('tmux', ['-S', facts.socketPath, 'kill-server']);
    // A member that is just ending may still write into it.
    await eventually(async () => dir[Symbol.asyncDispose]());
  };
  return { ...stageOn(backend, dir.path, stop, team), facts, leadPane, environment };
}

/** A team in iTerm2, as far as there is one. */
export async function iterm2(shell?: string) {
  const dir = await tempDir();
  const terminal = await fakeIterm2(dir.path, shell);
  const { environment, session } = terminal;
  const backend = createIterm2Backend({
    ...{ team: 'red', run, clock: systemClock, environment, program: PROGRAM, session },
    launchFileOf: (member) => join(dir.path, `${member}.json`),
  });
  const stop = async () => {
    await terminal[Symbol.asyncDispose]();
    await eventually(async () => dir[Symbol.asyncDispose]());
  };
  return { ...stageOn<Backend>(backend, dir.path, stop), terminal };
}

export async function inProcess(): Promise<Stage> {
  const dir = await tempDir();
  const backend = createInProcessBackend({ startMember: fakeLoop });
  return stageOn(backend, dir.path, async () => dir[Symbol.asyncDispose]());
}

async function fakeLoop(launchFile: string, signal: AbortSignal): Promise<{ code: number; lastLines: string }> {
  const launch = JSON.parse(await readFile(launchFile, 'utf8'));
  if (launch.dies) return { code: launch.dies.code, lastLines: launch.dies.words };
  const argv = ['teammate', '--launch', launchFile];
  await writeFile(launch.ready, JSON.stringify({ argv, cwd: process.cwd(), pid: process.pid, environment: {} }));
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  return { code: 0, lastLines: '' };
}

export async function processRef(pid: number) {
  return { pid, procStart: (await procStart(pid)) ?? 'gone' };
}
