import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { run } from '../../src/host/run.js';
import { eventually } from './eventually.js';
import { initRepo } from './gitRepo.js';
import { type Looks, looksInto, type Status } from './looks.js';
import { processesOf } from './ownProcesses.js';
import { type Stage, stage } from './program.js';
import { textOf } from './requests.js';

/** Milliseconds in which a program starts on a machine that is busy with others. */
export const STARTS_WITHIN = 100_000;

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

export type MemberOf = Status['members'][number];

export interface TmuxStage extends Stage, Looks {
  /** A git repository, where the team works. */
  readonly repo: string;
  /** Runs the program in the repository and returns what it prints; any exit code but 0 fails the test. */
  ok(...args: string[]): Promise<string>;
  /** Waits until a team is ready that somebody else has started. */
  untilUp(team: string): Promise<void>;
  member(name: string): Promise<MemberOf & { pid: number; pane: string }>;
  /** Waits until a member is in a state, or waits for something. */
  until(name: string, state: string): Promise<MemberOf & { pid: number; pane: string }>;
  /** The requests of a member to the model, each as text. */
  heard(member: string): string[];
  /** tmux on the team's server. */
  tmux(...args: string[]): Promise<string>;
  /** Types a line into a member's pane. */
  type(member: string, line: string): Promise<void>;
  /** A template of the user's own. */
  template(name: string, text: string): Promise<void>;
  /** Whatever a team could leave behind; two of them are compared. */
  traces(): Promise<Traces>;
}

export interface Traces {
  /** Every process whose environment names this test's folder: `<pid> <command>`. */
  readonly processes: readonly string[];
  readonly panes: readonly string[];
  readonly sockets: readonly string[];
  readonly worktrees: readonly string[];
  readonly branches: readonly string[];
  readonly locks: readonly string[];
}

/** A stage whose programs may start tmux servers. */
export async function tmuxStage(
  script: string,
  makeRepo: (path: string) => Promise<unknown> = initRepo,
): Promise<TmuxStage> {
  const base = await stage(script);
  const repo = join(base.folder, 'project');
  await makeRepo(repo);
  const sockets = join(base.env['TMUX_TMPDIR'] ?? '', `tmux-${process.getuid?.()}`);

  const troupe: Stage['troupe'] = (args, options) => base.troupe(args, { cwd: repo, timeout: 100_000, ...options });
  const ok = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await troupe(args);
    expect({ exitCode, args }, stderr).toEqual({ exitCode: 0, args });
    return stdout;
  };
  const looks = looksInto(base);
  const member = async (name: string) => {
    const found = (await looks.status()).members.find((other) => other.name === name);
    if (found?.pid === undefined) throw new Error(`${name} has no process yet`);
    return { ...found, pid: found.pid, pane: found.pane ?? '' };
  };
  const tmux = async (...args: string[]) => {
    const socket = (await looks.status()).tmux?.socketPath ?? '';
    const { exitCode, stdout, stderr } = await run('tmux', ['-S', socket, ...args], { env: base.env });
    expect({ exitCode, args }, stderr).toEqual({ exitCode: 0, args });
    return stdout;
  };
  const traces = async (): Promise<Traces> => ({
    processes: (await processesOf(base.folder)).map(({ pid, command }) => `${pid} ${command}`),
    sockets: await listing(sockets),
    panes: (await Promise.all((await listing(sockets)).map((name) => panesOf(join(sockets, name), base.env)))).flat(),
    worktrees: (await lines('git', ['-C', repo, 'worktree', 'list', '--porcelain'])).filter(
      (line) => !line.startsWith('HEAD '),
    ),
    branches: await lines('git', ['-C', repo, 'branch', '--list', '--all']),
    locks: [...(await tree(base.home)), ...(await tree(repo))].filter((path) => path.endsWith('.lock')),
  });

  return {
    ...base,
    ...looks,
    repo,
    troupe,
    ok,
    untilUp: (team) => eventually(async () => expect(await looks.teams()).toContain(`${team} running`), STARTS_WITHIN),
    member,
    until: (name, state) =>
      eventually(async () => {
        const found = await member(name);
        expect(found.waitingFor ?? found.state, name).toBe(state);
        return found;
      }, STARTS_WITHIN),
    heard: (name) =>
      base.server
        .log()
        .filter(({ userId }) => userId.endsWith(`:${name}`))
        .map(textOf),
    tmux,
    async type(name, line) {
      const { pane } = await member(name);
      await tmux('send-keys', '-t', pane, '-l', line);
      await tmux('send-keys', '-t', pane, 'Enter');
    },
    async template(name, text) {
      await mkdir(join(base.home, 'templates'), { recursive: true, mode: 0o700 });
      await writeFile(join(base.home, 'templates', `${name}.md`), text);
    },
    traces,
  };
}

/** A clone of this very project, or, where it is no repository, one that is made. */
export async function cloneOfThisProject(path: string): Promise<void> {
  if (!existsSync(join(PROJECT, '.git'))) return void (await initRepo(path));
  await run('git', ['clone', '--quiet', '--local', PROJECT, path]);
}

/** Every file and folder under `folder`, by its path in it. */
export async function tree(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder, { recursive: true })).sort();
}

/** Whether the process lives; one that has ended and was not waited for does not. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}

export async function lines(file: string, args: readonly string[], env?: Record<string, string>): Promise<string[]> {
  const { stdout } = await run(file, args, env && { env });
  return stdout.split('\n').filter((line) => line !== '');
}

async function listing(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

async function panesOf(socket: string, env: Record<string, string>): Promise<string[]> {
  const panes = await lines('tmux', ['-S', socket, 'list-panes', '-a', '-F', '#{pane_id} #{pane_pid}'], env);
  return panes.map((pane) => `${basename(socket)} ${pane}`);
}
