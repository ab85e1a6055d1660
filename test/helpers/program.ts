import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { type RunOptions, type RunResult, run } from '../../src/host/run.js';
import { parseScript } from '../../src/modelServer/script/script.js';
import { startModelServer } from '../../src/modelServer/server.js';
import { endProcessesOf } from './ownProcesses.js';
import { tempDir } from './tempDir.js';

export const BIN = fileURLToPath(new URL('../../bin/troupe.js', import.meta.url));

export interface Stage extends AsyncDisposable {
  /** A folder of its own, gone afterwards. */
  readonly folder: string;
  /** `$TROUPE_HOME`. */
  readonly home: string;
  /** The whole environment that programs of this test run in. */
  readonly env: Record<string, string>;
  /** Runs the shipped program; stdin is empty. */
  troupe(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  readonly server: Awaited<ReturnType<typeof startModelServer>>;
}

/** A home, a user's home, a tmux folder and a scripted model of the test's own; whatever still runs there ends with it. */
export async function stage(script?: string): Promise<Stage> {
  const dir = await tempDir();
  const [home, user, sockets] = ['troupe-home', 'user', 'tmux'].map((name) => join(dir.path, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [user, sockets]) await mkdir(path, { mode: 0o700 });
  const parsed = script === undefined ? undefined : parseScript(script, 'script.yaml');
  const server = await startModelServer({ clock: systemClock, ids: systemIds, ...(parsed && { script: parsed }) });
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
    HOME: user,
    TROUPE_HOME: home,
    TMUX_TMPDIR: sockets,
    XDG_RUNTIME_DIR: join(dir.path, 'run'),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'test-key',
  };
  return {
    folder: dir.path,
    home,
    env,
    server,
    troupe: (args, options) => run(process.execPath, [BIN, ...args], { env, cwd: dir.path, ...options }),
    async [Symbol.asyncDispose]() {
      await server.close();
      await endProcessesOf(dir.path);
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** A folder of links to programs that a team needs, and no tmux among them. */
export async function pathWithoutTmux(folder: string): Promise<string> {
  await mkdir(folder);
  for (const name of ['node', 'git', 'sh', 'bash', 'env', 'cat', 'npm']) {
    const { stdout } = await run('sh', ['-c', `command -v ${name}`]);
    await symlink(stdout.trim(), join(folder, name));
  }
  return folder;
}
