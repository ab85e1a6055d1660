import { type FirstAndLast, keepFirstAndLast } from '../../../report/page/firstAndLast.js';
import { clip, type Span, type StoryDenial, type StoryEvent } from '../../../report/page/story.js';
import { aboutOf } from '../../../report/page/talk.js';
import { several } from '../../../report/page/words.js';
import { eachRecord } from '../../../store/lineStream.js';
import { TeamEvent } from '../../../team/eventLog.js';
import { LEAD } from '../../../team/member.js';
import { foldName } from '../../../util/names.js';
import { oneLine } from '../../../util/text.js';
import type { Missing } from './missing.js';

const MAX_REST = 300;

/** What the event log tells. */
export interface Happenings {
  readonly events: FirstAndLast<StoryEvent>;
  readonly denials: FirstAndLast<StoryDenial>;
  /** Ids of the calls that were not allowed. */
  readonly denied: ReadonlySet<string>;
  /** When the last thing happened. */
  readonly last: number | undefined;
  /** When a member was there, without the end of a life that has none yet. */
  livesOf(member: string): readonly { readonly from: number; readonly to: number | undefined }[];
  deathsOf(member: string): readonly number[];
}

/** Reads the event log line by line. */
export async function happeningsIn(path: string, missing: Missing): Promise<Happenings> {
  const events = keepFirstAndLast<StoryEvent>(200, 600);
  const denials = keepFirstAndLast<StoryDenial>(50, 150);
  const denied = new Set<string>();
  const presence = createPresence();
  let last: number | undefined;
  const take = (record: unknown): boolean => {
    const event = TeamEvent.safeParse(record).data;
    const at = Date.parse(event?.at ?? '');
    if (!event || Number.isNaN(at)) return false;
    const { type, member } = event;
    events.push({ at, type, member, rest: clip(restOf(event), MAX_REST) });
    last = Math.max(last ?? at, at);
    if (type === 'tool_denied') {
      denied.add(String(event['tool_use_id']));
      denials.push(denialOf(at, event));
    }
    if (member !== undefined) presence.hear(type, foldName(member), at);
    return true;
  };
  missing.lines(await missing.reading(path, 0, () => eachRecord(path, take)), 'the event log', path);
  const { leftOut } = events.kept();
  if (leftOut > 0) missing.say(`${several(leftOut, 'event')}; all of them are in ${path}`);
  return {
    events: events.kept(),
    denials: denials.kept(),
    denied,
    last,
    livesOf: (member) => presence.lives.get(foldName(member)) ?? [],
    deathsOf: (member) => presence.deaths.get(foldName(member)) ?? [],
  };
}

/** When each member was there, by its folded name. */
function createPresence() {
  const lives = new Map<string, { from: number; to: number | undefined }[]>();
  const deaths = new Map<string, number[]>();
  return {
    lives,
    deaths,
    hear(type: string, name: string, at: number): void {
      const own = lives.get(name) ?? [];
      const life = own.at(-1);
      if (type === 'spawned') lives.set(name, [...own, { from: at, to: undefined }]);
      if (life && (type === 'exited' || type === 'terminated')) life.to ??= at;
      if (type === 'terminated') deaths.set(name, [...(deaths.get(name) ?? []), at]);
    },
  };
}

/** Lives with an end, the first of them from the first word on. */
export function wholeLives(
  lives: ReturnType<Happenings['livesOf']>,
  { first, end }: { readonly first: number | undefined; readonly end: number },
): Span[] {
  return lives.map(({ from, to }, index) => ({
    from: index === 0 && first !== undefined ? Math.min(first, from) : from,
    to: to ?? end,
  }));
}

function denialOf(at: number, { member = LEAD, tool_name, tool_input, because = '' }: TeamEvent): StoryDenial {
  return {
    at,
    member,
    tool: String(tool_name),
    about: aboutOf(tool_input),
    because: oneLine(String(because), MAX_REST),
  };
}

function restOf({ seq: _, at: __, type: ___, member: ____, ...rest }: TeamEvent): string {
  return Object.entries(rest)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
