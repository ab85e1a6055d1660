import { oneLine } from '../../../util/text.js';
import { type Html, html } from '../html.js';
import type { StoryMessage } from '../story.js';
import { nameWords } from '../words.js';
import type { Lane, Lanes } from './lanes.js';
import { gathered, round, type Scale } from './scale.js';

/** More would be a wall. */
export const MOST_ARROWS = 500;

interface Way {
  readonly from: Lane | undefined;
  /** Whom it reaches, from top to bottom. */
  readonly to: readonly Lane[];
  readonly isReport: boolean;
  readonly x: number;
  readonly messages: readonly StoryMessage[];
}

/** Messages as arrows from lane to lane, and how many have no room. */
export function arrowsOf(
  messages: readonly StoryMessage[],
  lanes: Lanes,
  scale: Scale,
): { readonly drawn: readonly Html[]; readonly leftOut: number } {
  const ways = waysOf(messages, lanes, scale);
  // What members say to each other goes before what they report.
  const inOrder = ways.toSorted((a, b) => Number(a.isReport) - Number(b.isReport));
  const leftOut = inOrder.slice(MOST_ARROWS).reduce((sum, way) => sum + way.messages.length, 0);
  return { drawn: inOrder.slice(0, MOST_ARROWS).map(arrow), leftOut };
}

/** Those from one to the same others at the same place of the picture are one. */
function waysOf(messages: readonly StoryMessage[], lanes: Lanes, scale: Scale): Way[] {
  const alike = new Map<string, Omit<Way, 'x'> & { messages: StoryMessage[] }>();
  for (const message of messages) {
    if (message.kind === 'notice') continue;
    const from = lanes.of(message.from);
    const to = message.to
      .map((name) => lanes.of(name))
      .filter((lane) => lane !== undefined)
      .filter((lane) => lane !== from)
      .sort((a, b) => a.top - b.top);
    if (to.length === 0) continue;
    const key = `${from?.top} ${to.map(({ top }) => top).join(',')} ${message.kind}`;
    const way = alike.get(key) ?? { from, to, isReport: message.kind === 'report', messages: [] };
    way.messages.push(message);
    alike.set(key, way);
  }
  return [...alike.values()].flatMap(({ messages: between, ...way }) =>
    gathered(between, scale, 3).map(({ x, items }) => ({ ...way, x, messages: items })),
  );
}

/** One line from the sender's bar to those furthest from it, with a tip at each; from above where nobody here sent it. */
function arrow({ from, to, isReport, x, messages }: Way): Html {
  const color = from?.color ?? 'c-none';
  const start = from ? middle(from) : (to[0]?.top ?? 0);
  const tips = to.map((lane) => {
    const end = middle(lane);
    return end >= start
      ? { tip: end - BAR_HALF, base: end - BAR_HALF - 6 }
      : { tip: end + BAR_HALF, base: end + BAR_HALF + 6 };
  });
  const reach = [start, ...tips.map(({ base }) => base)];
  const line = `M${x} ${Math.min(...reach)}V${Math.max(...reach)}`;
  const heads = tips.map(({ tip, base }) => `M${x} ${tip}L${round(x - 3.2)} ${base}H${round(x + 3.2)}Z`).join('');
  return html`<g>${title(messages)}<path class="hit" d="${line}"/><path class="${isReport ? 'arrow report' : 'arrow'} ${color}" d="${line}"/><path class="tip ${color}" d="${heads}"/></g>
`;
}

const BAR_HALF = 6;

/** Where a lane's bar is. */
export function middle({ kind, top, height }: Lane): number {
  return kind === 'agent' ? top + height / 2 : top + height - 12;
}

function title(messages: readonly StoryMessage[]): Html {
  const lines = messages
    .slice(0, 6)
    .map(({ from, to, toAll, summary, text }) =>
      oneLine(`${nameWords(from)} to ${toAll ? 'all' : to.map(nameWords).join(', ')}: ${summary ?? text.text}`, 160),
    );
  const rest = messages.length - lines.length;
  return html`<title>${[...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n')}</title>`;
}
