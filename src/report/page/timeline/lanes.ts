import { foldName } from '../../../util/names.js';
import type { Span, Story, StoryMember, Talk } from '../story.js';
import { nameWords } from '../words.js';

const MEMBER_HEIGHT = 34;
const AGENT_HEIGHT = 18;
/** Of the axis above the lanes. */
export const TOP = 28;
/** Sub-agents that have a lane of their own, of the whole team. */
const MOST_AGENT_LANES = 60;

export interface Lane {
  readonly kind: 'person' | 'member' | 'agent';
  readonly label: string;
  /** Name of the class that colours it. */
  readonly color: string;
  readonly top: number;
  readonly height: number;
  readonly depth: number;
  readonly talk?: Talk;
  readonly member?: StoryMember;
  /** When it was there. */
  readonly lives: readonly Span[];
}

export interface Lanes {
  readonly lanes: readonly Lane[];
  readonly height: number;
  /** The lane of a member or of the person; nothing for whoever is neither. */
  of(name: string): Lane | undefined;
  readonly agentsLeftOut: number;
}

/** A lane for the person where one took part, one for each member, and below it those of its sub-agents. */
export function lanesOf(story: Story, { hasPerson }: { readonly hasPerson: boolean }): Lanes {
  const lanes: Lane[] = [];
  let top = TOP;
  let agentsLeftOut = 0;
  let agentLanes = 0;
  const add = (lane: Omit<Lane, 'top' | 'height'>) => {
    const height = lane.kind === 'agent' ? AGENT_HEIGHT : MEMBER_HEIGHT;
    lanes.push({ ...lane, top, height });
    top += height;
  };
  if (hasPerson) add({ kind: 'person', label: 'you', color: 'c-none', depth: 0, lives: [] });
  for (const member of story.members) {
    const { name, talk, lives, agents } = member;
    const color = colorClass(member);
    add({ kind: 'member', label: nameWords(name), color, depth: 0, talk, member, lives });
    for (const agent of agents) {
      agentLanes++;
      if (agentLanes > MOST_AGENT_LANES) agentsLeftOut++;
      else
        add({
          kind: 'agent',
          label: agent.name ?? agent.description,
          color,
          depth: agent.depth,
          talk: agent.talk,
          lives: [{ from: agent.startedAt, to: agent.endedAt ?? story.endedAt }],
        });
    }
  }
  const byName = new Map(lanes.flatMap((lane) => (lane.member ? [[foldName(lane.member.name), lane]] : [])));
  const person = lanes.find(({ kind }) => kind === 'person');
  return {
    lanes,
    height: top,
    of: (name) => byName.get(foldName(name)) ?? (name === 'user' ? person : undefined),
    agentsLeftOut,
  };
}

const KNOWN = new Set(['blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan', 'red']);

/** Anything may be written in a TeamFile. */
export function colorClass({ color }: { readonly color?: string | undefined }): string {
  return color !== undefined && KNOWN.has(color) ? `c-${color}` : 'c-none';
}
