import { oneLine } from '../../../util/text.js';
import { allOf } from '../firstAndLast.js';
import { type Html, html } from '../html.js';
import type { Span, Story, StoryRequest } from '../story.js';
import { duration, fullTime, several } from '../words.js';
import { arrowsOf, middle } from './arrows.js';
import { type Lane, type Lanes, lanesOf, TOP } from './lanes.js';
import { legend, type Mark, marksOf, shapeOf } from './marks.js';
import { gathered, joined, LEFT, RIGHT, round, type Scale, scaleOf, WIDTH, without } from './scale.js';

const BAR = 12;
const AGENT_BAR = 8;
/** So tall that its axis is needed below too. */
const TALL = 400;

/** Who did what when: a lane for each member, time from left to right. */
export function timeline(story: Story): Html {
  const messages = allOf(story.messages);
  const decided = story.requests.some(({ answer }) => answer?.by === 'user');
  const lanes = lanesOf(story, { hasPerson: decided || messages.some(({ from }) => from === 'user') });
  const scale = scaleOf({ from: story.startedAt, to: story.endedAt });
  const { drawn, leftOut } = arrowsOf(messages, lanes, scale);
  const height = lanes.height + (lanes.height > TALL ? TOP : 8);
  const length = duration(story.endedAt - story.startedAt);
  const notes = [
    ...(leftOut > 0 ? [`${several(leftOut, 'more message')} not drawn`] : []),
    ...(lanes.agentsLeftOut > 0 ? [`${several(lanes.agentsLeftOut, 'more sub-agent')} not drawn`] : []),
  ];
  return html`<p>From ${fullTime(story.startedAt)}, ${length}. What a shape stands for is shown when the pointer rests on it.${notes.length > 0 && ` (${notes.join('; ')}.)`}</p>
<div class="wide" tabindex="0" role="group" aria-label="Timeline">
<svg class="timeline" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Timeline of ${several(story.members.length, 'member')} over ${length}. The tables below say the same in words.">
${lanes.lanes.map(ground)}
${axis(scale, lanes, height)}
${lanes.lanes.map((lane) => life(lane, scale))}
${lanes.lanes.map((lane) => bars(lane, scale))}
${waits(story, lanes, scale)}
<g>${drawn}</g>
${marks(marksOf(story), lanes, scale)}
</svg>
</div>
${legend()}`;
}

function ground({ kind, label, top, height, depth, color }: Lane, index: number): Html {
  const x = 8 + 12 * depth;
  const size = kind === 'agent' ? 11 : 13;
  return html`<rect class="${index % 2 === 0 ? 'ground' : 'ground odd'}" x="0" y="${top}" width="${WIDTH}" height="${height}"/>
<svg x="${x}" y="${top}" width="${LEFT - 8 - x}" height="${height}"><title>${label}</title><text class="label ${color}" x="0" y="${height / 2 + size / 3}" font-size="${size}">${oneLine(label, 40)}</text></svg>
`;
}

function axis({ ticks }: Scale, { height: bottom }: Lanes, height: number): Html {
  // A label that would be cut off by the edge ends at its line.
  const label = (x: number, y: number, text: string) =>
    html`<text class="tick" x="${x}" y="${y}" text-anchor="${x > RIGHT - 30 ? 'end' : 'middle'}">${text}</text>`;
  return html`<g class="axis">${ticks.map(
    ({ x, label: text }) =>
      html`<path class="grid" d="M${x} ${TOP - 6}V${bottom}"/>${label(x, 16, text)}${height > TALL && label(x, bottom + 18, text)}`,
  )}</g>`;
}

function life(lane: Lane, { x }: Scale): Html {
  const y = middle(lane);
  return html`${lane.lives.map(({ from, to }) => html`<path class="life" d="M${x(from)} ${y}H${x(to)}"/>`)}`;
}

function bars(lane: Lane, scale: Scale): Html {
  const { talk, lives, kind, color, label } = lane;
  const height = kind === 'agent' ? AGENT_BAR : BAR;
  const y = middle(lane) - height / 2;
  const spans = joined(without(talk?.turns ?? [], gapsIn(lives)), scale, 1.5);
  return html`${spans.map(({ from, to, count }) => {
    const words = `${label} at work for ${duration(to - from)}${count > 1 ? `, ${count} turns` : ''}, from ${fullTime(from)}`;
    const width = Math.max(2, round(scale.x(to) - scale.x(from)));
    return html`<rect class="bar ${color}" x="${scale.x(from)}" y="${y}" width="${width}" height="${height}" rx="2"><title>${words}</title></rect>
`;
  })}`;
}

/** Between one life of a member and its next. */
function gapsIn(lives: readonly Span[]): Span[] {
  return lives.slice(1).map(({ from }, index) => ({ from: lives[index]?.to ?? from, to: from }));
}

function waits(story: Story, lanes: Lanes, scale: Scale): Html {
  const wait = ({ from, kind, at, answer }: StoryRequest) => {
    const lane = lanes.of(from);
    if (!lane) return undefined;
    // Whoever has ended waits no more.
    const to = answer?.at ?? lane.lives.find((life) => at < life.to)?.to ?? story.endedAt;
    const width = Math.max(1, round(scale.x(to) - scale.x(at)));
    return html`<rect class="wait" x="${scale.x(at)}" y="${middle(lane) - 4}" width="${width}" height="8"><title>waits for ${kind === 'plan' ? 'a decision on its plan' : 'a permission'}: ${duration(to - at)}</title></rect>`;
  };
  return html`${story.requests.map(wait)}`;
}

function marks(all: readonly Mark[], lanes: Lanes, scale: Scale): Html {
  const groups = new Map<string, Mark[]>();
  for (const one of all) {
    const key = `${lanes.of(one.who)?.top} ${one.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return html`${[...groups.values()].flatMap((alike) => {
    const lane = lanes.of(alike[0]?.who ?? '');
    return lane ? gathered(alike, scale, 9).map(({ x, items }) => mark(lane, x, items)) : [];
  })}`;
}

function mark(lane: Lane, x: number, items: readonly Mark[]): Html | undefined {
  const [first] = items;
  if (!first) return undefined;
  const lines = items.slice(0, 8).map(({ words, at }) => `${oneLine(words, 120)} (${fullTime(at).slice(11)})`);
  const rest = items.length - lines.length;
  const y = first.kind === 'died' ? middle(lane) : lane.top + 8;
  return html`<g transform="translate(${x} ${y})"><title>${[...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n')}</title>${shapeOf(first.kind)}</g>
`;
}
