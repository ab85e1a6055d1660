import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { run } from '../../../src/host/run.js';
import type { Backend } from '../../../src/panes/backend.js';
import { createInProcessBackend } from '../../../src/panes/inProcess.js';
import { writeRunRecord } from '../../../src/team/runRecord.js';
import { takeLaunch } from '../../../src/team/start/launch.js';
import type { StartDeps } from '../../../src/team/start/lifecycle.js';
import type { MemberRequest } from '../../../src/team/start/slot.js';
import { SETTINGS, type TeamOnDisk } from '../../helpers/team.js';

export interface FakeMember {
  /** What it does before it says that it is ready. */
  readonly before?: () => Promise<unknown>;
  /** Ends like this instead of getting ready. */
  readonly dies?: { readonly code: number; readonly lastLines: string };
}

/** Members that take their launch file, write their record and wait for their end: all of a start but the agent. */
export function membersIn(team: TeamOnDisk, { before, dies }: FakeMember = {}): Backend {
  return createInProcessBackend({
    async startMember(launchFile, signal) {
      const launch = await takeLaunch(launchFile);
      const { member, generation } = launch;
      const path = team.paths.runRecord(member);
      await writeRunRecord(path, team.record({ generation, state: 'starting' }));
      await before?.();
      if (dies) return dies;
      await writeRunRecord(path, team.record({ generation, backend: 'in-process', readyAt: 1 }));
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await writeRunRecord(path, team.record({ generation, state: 'exited', backend: 'in-process' }));
      return { code: 0, lastLines: '' };
    },
  });
}

export function depsIn(team: TeamOnDisk, backend: Backend): StartDeps {
  return {
    home: team.home,
    place: team.place,
    run,
    backend,
    program: ['node', 'troupe'],
    environment: { PATH: '/bin', SECRET: 'x' },
    settings: SETTINGS,
  };
}

export function requestIn(team: TeamOnDisk, name: string, more: Partial<MemberRequest> = {}): MemberRequest {
  return { name, agentType: 'general-purpose', model: 'claude-opus-5-5', mode: 'default', cwd: team.cwd, ...more };
}

/** Everything that a start could leave behind, to be compared. Reservations and revisions of the TeamFile aside. */
export async function everything(team: TeamOnDisk): Promise<unknown> {
  const roots = [team.paths.root, team.home.sessions];
  const files: Record<string, string> = {};
  for (const root of roots) {
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const text = await readFile(path, 'utf8');
      files[relative(team.home.root, path)] = path === team.paths.config ? text.replace(/"rev": \d+/, '') : text;
    }
  }
  const isRepository = existsSync(join(team.cwd, '.git'));
  const git = async (...args: string[]) => (isRepository ? (await run('git', ['-C', team.cwd, ...args])).stdout : '');
  return {
    files,
    folders: (await readdir(team.paths.inboxes)).sort(),
    worktrees: await git('worktree', 'list'),
    branches: await git('branch', '--all'),
    status: await git('status', '--porcelain'),
  };
}
