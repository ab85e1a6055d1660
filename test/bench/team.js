// A team on disk, as `troupe up` leaves it: a lead and three teammates, all of them played by this process.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TEAM = 'bench';
const NAMES = ['team-lead', 'planner', 'implementer', 'reviewer'];

/** Makes the team under `home`, a folder that becomes `$TROUPE_HOME`. */
export function makeTeam(home) {
  const now = Date.now();
  const { pid } = process;
  const procStart = startOf(pid);
  const root = join(home, 'teams', TEAM);
  for (const folder of ['inboxes', 'requests', 'tasks', 'run', 'launch', 'plans', 'files'])
    mkdirSync(join(root, folder), { recursive: true, mode: 0o700 });
  write(join(root, 'config.json'), {
    name: TEAM,
    createdAt: now,
    rev: 1,
    leadAgentId: `team-lead@${TEAM}`,
    leadProcess: { pid, procStart, claimedAt: now },
    members: NAMES.map((name) => ({
      agentId: `${name}@${TEAM}`,
      name,
      model: 'claude-sonnet-4-5',
      joinedAt: now,
      tmuxPaneId: 'in-process',
      cwd: home,
      subscriptions: [],
      backendType: 'in-process',
      mode: 'default',
      generation: 1,
    })),
  });
  for (const name of NAMES)
    write(join(root, 'run', `${name}.json`), {
      pid,
      procStart,
      generation: 1,
      backend: 'in-process',
      state: 'idle',
      turns: 3,
      tokens: { input: 1000, output: 500, cacheRead: 20_000, cacheWrite: 4000 },
      costUsd: 0.02,
      counter: 12,
      heartbeat: now,
      readyAt: now,
    });
  for (const id of ['1', '2', '3', '4'])
    write(join(root, 'tasks', `${id}.json`), {
      id,
      subject: `Task ${id}`,
      description: 'What there is to do.',
      status: 'pending',
      blocks: [],
      blockedBy: [],
    });
}

function write(path, value) {
  writeFileSync(path, JSON.stringify(value), { mode: 0o600 });
}

function startOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `linux:${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`;
}
