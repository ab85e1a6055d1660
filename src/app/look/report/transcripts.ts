import { join } from 'node:path';
import type { Home, SessionPaths } from '../../../config/paths.js';
import { isUuid } from '../../../host/ids.js';
import { NO_TALK, type StoryAgent, type Talk } from '../../../report/page/story.js';
import { readTalk } from '../../../report/page/talk.js';
import { several as counted } from '../../../report/page/words.js';
import { eachRecord } from '../../../store/lineStream.js';
import { TranscriptEntry } from '../../../transcript/entry.js';
import { openTaskFiles } from '../../../transcript/taskFiles.js';
import { several } from '../../../util/several.js';
import { oneLine } from '../../../util/text.js';
import type { Missing } from './missing.js';

const AT_ONCE = 4;
const MAX_DESCRIPTION = 200;

/** How much of one transcript is shown. */
export interface Bounds {
  /** Of a member's own. */
  readonly calls: number;
  /** Of one sub-agent's. */
  readonly agentCalls: number;
  /** Sub-agents of one member. */
  readonly agents: number;
}

/** So that the page stays below some megabytes, however many members there are. */
export function boundsFor(members: number): Bounds {
  const share = (all: number, least: number, most: number) =>
    Math.max(least, Math.min(most, Math.floor(all / Math.max(1, members))));
  return { calls: share(2000, 20, 400), agentCalls: 12, agents: share(80, 2, 40) };
}

export interface Spoken {
  readonly talk: Talk;
  readonly agents: readonly StoryAgent[];
  readonly agentsLeftOut: number;
}

/** What a member's session tells, its sub-agents' included, read line by line. */
export async function spokenIn(
  home: Home,
  { who, sessionId }: { readonly who: string; readonly sessionId: string | undefined },
  bounds: Bounds,
  { denied, missing }: { readonly denied: ReadonlySet<string>; readonly missing: Missing },
): Promise<Spoken> {
  if (sessionId === undefined || !isUuid(sessionId)) return { talk: NO_TALK, agents: [], agentsLeftOut: 0 };
  const session = home.session(sessionId);
  const { transcript } = session;
  const read = (path: string, maxCalls: number, of: string) =>
    missing.reading(path, NO_TALK, () => talkIn(path, { maxCalls, denied, of, missing }));
  const talk = await read(transcript, bounds.calls, `the transcript of ${who}`);
  if (talk.calls.leftOut > 0)
    missing.say(`${counted(talk.calls.leftOut, 'tool call')} of ${who}; all of them are in ${transcript}`);
  const { agents, leftOut } = await agentsIn(session, bounds.agents);
  const told = await several(agents, AT_ONCE, async (agent): Promise<StoryAgent> => {
    const path = join(session.agents, `${agent.agentId}.jsonl`);
    return {
      id: agent.agentId,
      name: agent.name,
      agentType: agent.agentType,
      description: oneLine(agent.description, MAX_DESCRIPTION),
      model: agent.model,
      status: agent.status,
      startedAt: agent.startedAt,
      endedAt: agent.endedAt,
      depth: agent.depth,
      talk: await read(path, bounds.agentCalls, `the transcript of a sub-agent of ${who}`),
    };
  });
  const hidden = told.reduce((sum, agent) => sum + agent.talk.calls.leftOut, 0);
  if (leftOut > 0)
    missing.say(`${counted(leftOut, 'earlier sub-agent')} of ${who}; all of them are in ${session.agents}`);
  if (hidden > 0)
    missing.say(`${counted(hidden, 'tool call')} of the sub-agents of ${who}; all of them are in ${session.agents}`);
  return { talk, agents: told, agentsLeftOut: leftOut };
}

/** The newest, oldest first, each behind the one that started it. */
async function agentsIn(session: SessionPaths, most: number) {
  const all = (await openTaskFiles(session).agents()).toSorted((a, b) => a.startedAt - b.startedAt);
  const newest = all.slice(-most);
  const known = new Set(newest.map(({ agentId }) => agentId));
  const below = (parent: string): typeof newest =>
    newest.filter((agent) => agent.parent === parent).flatMap((agent) => [agent, ...below(agent.agentId)]);
  const tops = newest.filter(({ parent }) => !known.has(parent));
  const agents = tops.flatMap((agent) => [agent, ...below(agent.agentId)]);
  return { agents, leftOut: all.length - agents.length };
}

async function talkIn(
  path: string,
  {
    maxCalls,
    denied,
    of,
    missing,
  }: {
    readonly maxCalls: number;
    readonly denied: ReadonlySet<string>;
    readonly of: string;
    readonly missing: Missing;
  },
): Promise<Talk> {
  const reader = readTalk({ maxCalls, denied });
  const broken = await eachRecord(path, (record) => {
    const entry = TranscriptEntry.safeParse(record);
    return entry.success && reader.hear(entry.data);
  });
  missing.lines(broken, of, path);
  return reader.talk();
}
