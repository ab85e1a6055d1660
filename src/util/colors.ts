/** A member's colours, in the order in which they are given out. */
export const COLORS = ['blue', 'green', 'yellow', 'purple', 'orange', 'pink', 'cyan', 'red'] as const;
export type Color = (typeof COLORS)[number];
