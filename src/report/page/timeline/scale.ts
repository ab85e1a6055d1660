import type { Span } from '../story.js';
import { duration } from '../words.js';

/** Units of the picture: its width, and where time begins and ends in it. */
export const WIDTH = 1200;
export const LEFT = 150;
export const RIGHT = WIDTH - 24;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((amount) => amount * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((amount) => amount * MINUTE),
  ...[1, 2, 3, 6, 12].map((amount) => amount * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100, 500].map((amount) => amount * DAY),
];
const MOST_TICKS = 10;

export interface Scale {
  /** Where a moment is, never outside of the picture. */
  x(at: number): number;
  /** Round times since the beginning. */
  readonly ticks: readonly { readonly x: number; readonly label: string }[];
}

export function scaleOf({ from, to }: Span): Scale {
  const length = Math.max(1, to - from);
  const x = (at: number) => round(LEFT + Math.min(1, Math.max(0, (at - from) / length)) * (RIGHT - LEFT));
  const step = STEPS.find((candidate) => length / candidate <= MOST_TICKS) ?? length / MOST_TICKS;
  const ticks = Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => ({
    x: x(from + index * step),
    label: index === 0 ? '0' : duration(index * step),
  }));
  return { x, ticks };
}

/** Tenths are finer than a screen. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Spans that touch each other in the picture as one, with how many they are. */
export function joined(spans: readonly Span[], { x }: Scale, gap: number): (Span & { readonly count: number })[] {
  const result: (Span & { readonly count: number })[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && x(span.from) - x(last.to) < gap)
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to), count: last.count + 1 };
    else result.push({ ...span, count: 1 });
  }
  return result;
}

/** Things that would lie on each other in the picture, together; each group at the place of its first. */
export function gathered<T extends { readonly at: number }>(
  items: readonly T[],
  { x }: Scale,
  gap: number,
): { readonly x: number; readonly items: readonly T[] }[] {
  const groups: { x: number; items: T[] }[] = [];
  for (const item of items.toSorted((a, b) => a.at - b.at)) {
    const last = groups.at(-1);
    if (last && x(item.at) - last.x < gap) last.items.push(item);
    else groups.push({ x: x(item.at), items: [item] });
  }
  return groups;
}

/** `spans` without the times in which nobody was there. */
export function without(spans: readonly Span[], gaps: readonly Span[]): readonly Span[] {
  return gaps.reduce<readonly Span[]>(
    (left, gap) =>
      left.flatMap((span) =>
        gap.to <= span.from || gap.from >= span.to
          ? [span]
          : [
              ...(span.from < gap.from ? [{ from: span.from, to: gap.from }] : []),
              ...(span.to > gap.to ? [{ from: gap.to, to: span.to }] : []),
            ],
      ),
    spans,
  );
}
