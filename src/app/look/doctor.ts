import { stat } from 'node:fs/promises';
import { hasCredentials } from '../../config/env.js';
import { markedWithAny } from '../../host/children.js';
import { versionProblem } from '../../panes/tmux/parse.js';
import { tmuxProbe } from '../../panes/tmux/server.js';
import { mendTeamFile } from '../../team/teamFile.js';
import { hasCode } from '../../util/errors.js';
import type { World } from '../services.js';
import { staleLocks } from './staleLocks.js';
import { allTeams } from './teams.js';

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** Looks at everything that a team needs and at what may be left over. Changes nothing. */
export async function diagnose(world: World): Promise<Finding[]> {
  const { run, home } = world;
  const findings: Finding[] = [{ what: 'node', ok: true, detail: process.version }];
  const add = (what: string, problem: string | undefined, detail: string, fix: string) =>
    findings.push({
      what,
      ok: problem === undefined,
      detail: problem ?? detail,
      ...(problem !== undefined && { fix }),
    });

  const tmux = await tmuxProbe(run, world.environment()).tmuxVersion();
  add(
    'tmux',
    tmux === undefined ? 'not on the PATH' : versionProblem(tmux),
    tmux ?? '',
    'Install tmux 3.0 or later, or use --backend in-process.',
  );
  const git = await run('git', ['--version']).catch(() => undefined);
  add(
    'git',
    git?.exitCode === 0 ? undefined : 'not on the PATH',
    git?.stdout.trim() ?? '',
    'Install git: worktrees and merges need it.',
  );
  const { shippedRipgrep } = await import('../../tools/support/ripgrep.js');
  const ripgrep = shippedRipgrep();
  add(
    'ripgrep',
    ripgrep === undefined ? 'its binary is missing' : undefined,
    ripgrep ?? '',
    'Install the optional dependencies again: npm install --include=optional',
  );
  add('credentials', hasCredentials() ? undefined : 'none', 'set', 'Set ANTHROPIC_API_KEY. Without one: troupe demo');
  add('home', await homeProblem(home.root), home.root, `chmod 700 ${home.root}`);
  const { teams, broken } = await allTeams(world);
  for (const { path, reason } of broken)
    add('team file', reason.startsWith(path) ? reason : `${path}: ${reason}`, '', mendTeamFile(path));
  for (const team of teams) {
    add(
      `team ${team.name}`,
      team.state === 'crashed' ? 'its lead is gone' : undefined,
      team.state,
      `Go on with it: troupe resume ${team.name}. Or clear it away: troupe gc, which keeps what it holds.`,
    );
    const orphans =
      team.state === 'crashed'
        ? await markedWithAny(team.members.map(({ agentId }) => ({ member: agentId, home: home.root })))
        : [];
    if (orphans.length > 0)
      add(
        `children of ${team.name}`,
        `${orphans.map(({ process: { pid } }) => pid).join(', ')} still run`,
        '',
        'troupe gc',
      );
    for (const lock of await staleLocks(home.team(team.name).root, world.clock.now()))
      add('lock', `${lock} was left behind`, '', 'It is taken over by itself; or: troupe gc');
  }
  return findings;
}

async function homeProblem(path: string): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    return (mode & 0o077) === 0 ? undefined : `${path} can be read by others`;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
