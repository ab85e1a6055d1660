import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureHome, homeAt } from '../../src/config/paths.js';
import { type Clock, systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { type ProcessRef, thisProcess } from '../../src/host/processes.js';
import { openMailbox } from '../../src/mailbox/mailbox.js';
import { openTaskList } from '../../src/tasks/taskList.js';
import { makeTeamFolders } from '../../src/team/archive.js';
import { openEventLog } from '../../src/team/eventLog.js';
import { LEAD } from '../../src/team/member.js';
import type { TeamPlace } from '../../src/team/messages.js';
import { openRequests } from '../../src/team/requests.js';
import { type RunRecord, writeRunRecord } from '../../src/team/runRecord.js';
import type { Launch, TeamSettings } from '../../src/team/start/launch.js';
import { type Member, openTeamFile, withMember } from '../../src/team/teamFile.js';
import { tempDir } from './tempDir.js';

export const SETTINGS: TeamSettings = {
  model: 'claude-opus-5-5',
  leadMode: 'acceptEdits',
  allow: [],
  ask: [],
  deny: [],
  folders: [],
  permissionTimeoutMs: 60_000,
  trusted: true,
  interactive: false,
};

/** What bob of the team `red` is started with. */
export const launchOf = (more: Partial<Launch> = {}): Launch => ({
  argv: [],
  cwd: '/',
  environment: {},
  home: '/h',
  team: 'red',
  member: 'bob',
  role: 'teammate',
  generation: 1,
  sessionId: 's',
  agentType: 'general-purpose',
  model: 'm',
  mode: 'default',
  backend: 'tmux',
  settings: SETTINGS,
  ...more,
});

/** The team `red` with its lead on disk, in a home of the test's own. */
export async function teamOnDisk({
  clock = systemClock,
  members = [] as readonly string[],
}: {
  clock?: Clock;
  members?: readonly string[];
} = {}) {
  const dir = await tempDir();
  const home = homeAt(join(dir.path, 'home'));
  await ensureHome(home);
  const paths = home.team('red');
  await makeTeamFolders(paths);
  const cwd = join(dir.path, 'project');
  await mkdir(cwd);
  const place: TeamPlace = { paths, clock, ids: systemIds };
  const file = openTeamFile(paths.config);
  const member = (name: string): Member => ({
    agentId: `${name}@red`,
    name,
    joinedAt: 0,
    tmuxPaneId: '',
    cwd,
    subscriptions: [],
    generation: 1,
    sessionId: systemIds.uuid(),
  });
  await file.create({ name: 'red', createdAt: 0, leadAgentId: `${LEAD}@red`, members: [LEAD, ...members].map(member) });
  const self = await thisProcess();
  const record = (patch: Partial<RunRecord> = {}): RunRecord => ({
    ...self,
    generation: 1,
    state: 'idle',
    turns: 0,
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    costUsd: 0,
    counter: 1,
    heartbeat: 0,
    ...patch,
  });
  return {
    dir: dir.path,
    home,
    cwd,
    place,
    paths,
    file,
    member,
    requests: openRequests(paths.requests, clock),
    events: openEventLog(paths.events, clock),
    tasks: openTaskList(paths.tasks),
    inbox: (name: string) => openMailbox({ team: paths, member: name, clock, ids: systemIds }),
    /** Type and text of what lies in an inbox. */
    async mail(name: string) {
      const messages = await openMailbox({ team: paths, member: name, clock, ids: systemIds }).peek();
      return messages.map(({ type, text, from, read }) => ({
        type,
        from,
        read,
        text,
        payload: type === 'message' ? undefined : JSON.parse(text),
      }));
    },
    join: (joining: Member) => file.update((team) => withMember(team, joining)),
    writeRecord: (name: string, patch: Partial<RunRecord> = {}) => writeRunRecord(paths.runRecord(name), record(patch)),
    record,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

export type TeamOnDisk = Awaited<ReturnType<typeof teamOnDisk>>;

/** A process that has ended: nobody has it any more. */
export const DEAD: ProcessRef = { pid: 999_999_999, procStart: 'linux:gone:1' };
