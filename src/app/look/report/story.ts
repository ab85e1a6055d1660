import type { TeamPaths } from '../../../config/paths.js';
import {
  type Clipped,
  clip,
  NO_TALK,
  type Story,
  type StoryMember,
  type StoryTask,
} from '../../../report/page/story.js';
import { openTaskList } from '../../../tasks/taskList.js';
import { LEAD } from '../../../team/member.js';
import { liveRecord, type RunRecord, readRunRecord } from '../../../team/runRecord.js';
import type { Member } from '../../../team/teamFile.js';
import { isSameName } from '../../../util/names.js';
import { several } from '../../../util/several.js';
import type { FoundTeam } from '../../resume/findTeam.js';
import type { World } from '../../services.js';
import { pathsOfAny } from '../anyTeam.js';
import { modelsOf } from '../costs.js';
import { stateOf } from '../teams.js';
import { decisionsIn } from './decisions.js';
import { type Happenings, happeningsIn, wholeLives } from './happenings.js';
import { mailIn } from './mail.js';
import { createMissing, type Missing } from './missing.js';
import { boundsFor, spokenIn } from './transcripts.js';

const MAX_DESCRIPTION = 4000;
const MOST_TASKS = 500;
const AT_ONCE = 2;

type Told = Omit<StoryMember, 'lives'> & { readonly sign: number | undefined };

/** All that the files of a team tell of it; what cannot be read is left out, and said. */
export async function storyOf(world: Pick<World, 'home' | 'clock' | 'ids'>, found: FoundTeam): Promise<Story> {
  const { team, archived } = found;
  const paths = pathsOfAny(world, found);
  const missing = createMissing();
  const happened = await happeningsIn(paths.events, missing);
  const leadFirst = team.members.toSorted((a, b) => Number(b.name === LEAD) - Number(a.name === LEAD));
  const names = leadFirst.map(({ name }) => name);
  const { messages, reports } = await mailIn(world, paths, names, missing);
  const told = await several(leadFirst, AT_ONCE, (member) =>
    toldMember(world, {
      member,
      paths,
      happened,
      missing,
      lastReport: reports.get(member.name)?.text,
      count: names.length,
    }),
  );
  const state = archived ? 'archived' : await stateOf(world, team);
  const madeAt = world.clock.now();
  const isRunning = state === 'running' || state === 'starting';
  const signs = [happened.last, ...told.map(({ sign }) => sign)].filter((at) => at !== undefined);
  const endedAt = isRunning ? madeAt : Math.max(team.createdAt, ...signs);
  const members = told.map(({ sign: _, ...member }) => {
    const first = member.talk.turns[0]?.from;
    return { ...member, lives: wholeLives(happened.livesOf(member.name), { first, end: endedAt }) };
  });
  const { tasks, requests } = {
    tasks: await tasksIn(paths, missing),
    requests: await decisionsIn(paths, world.clock, missing),
  };
  return {
    team: team.name,
    state,
    description: team.description,
    template: team.template,
    archive: archived?.path,
    madeAt,
    startedAt: team.createdAt,
    endedAt,
    result: members[0]?.name === LEAD ? members[0].talk.lastWords : undefined,
    members,
    tasks,
    messages,
    requests,
    denials: happened.denials,
    events: happened.events,
    missing: missing.sentences,
  };
}

async function toldMember(
  world: Pick<World, 'home'>,
  {
    member,
    paths,
    happened,
    missing,
    lastReport,
    count,
  }: {
    readonly member: Member;
    readonly paths: TeamPaths;
    readonly happened: Happenings;
    readonly missing: Missing;
    readonly lastReport: Clipped | undefined;
    readonly count: number;
  },
): Promise<Told> {
  const { name, sessionId, model = '', mode = 'default', color, agentType, worktreePath } = member;
  const recordPath = paths.runRecord(name);
  const record = await missing.reading(recordPath, undefined, async () => {
    const found = await readRunRecord(recordPath);
    return found && liveRecord(found);
  });
  const spoken = await missing.reading(name, { talk: NO_TALK, agents: [], agentsLeftOut: 0 }, () =>
    spokenIn(world.home, { who: name, sessionId }, boundsFor(count), { denied: happened.denied, missing }),
  );
  return {
    ...spoken,
    name,
    color,
    agentType,
    model,
    mode,
    ...recordFacts(record),
    models: record ? modelsOf(record, model) : {},
    worktree:
      worktreePath === undefined
        ? undefined
        : { path: worktreePath, branch: member.worktreeBranch, isGone: member.worktreeRemoved === true },
    lastReport: isSameName(name, LEAD) ? undefined : (lastReport ?? spoken.talk.lastWords),
    deaths: happened.deathsOf(name),
    sign: spoken.talk.turns.at(-1)?.to,
  };
}

function recordFacts(record: RunRecord | undefined) {
  return {
    state: record?.state ?? 'not started',
    activity: record?.activity,
    waitingFor: record?.waitingFor,
    exit: record?.exit,
    turns: record?.turns ?? 0,
  };
}

async function tasksIn({ tasks: folder }: TeamPaths, missing: Missing): Promise<StoryTask[]> {
  const all = await missing.reading(folder, [], () => openTaskList(folder).list());
  if (all.length > MOST_TASKS) missing.say(`The ${all.length - MOST_TASKS} oldest tasks; all of them are in ${folder}`);
  return all.slice(-MOST_TASKS).map(({ id, subject, description, status, owner, blockedBy }) => ({
    id,
    subject,
    description: clip(description, MAX_DESCRIPTION),
    status,
    owner,
    blockedBy,
  }));
}
