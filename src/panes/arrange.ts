/** Where members go on the screen: pure decisions, in tmux's terms of windows, panes and layouts. */

export const MIN_WIDTH = 40;
export const MIN_HEIGHT = 8;
/** The lead's share of a window's width. */
const LEAD_SHARE = 0.4;

export type Layout = 'panes' | 'windows';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What of a pane the decisions are about. Panes come in tmux's order, window by window. */
export interface PlacedPane extends Size {
  readonly paneId: string;
  readonly windowId: string;
  readonly sessionId: string;
  readonly windowWidth: number;
  readonly windowHeight: number;
  readonly team: string;
  /** Put away by a person. */
  readonly isHidden: boolean;
}

export interface Arrangement {
  readonly team: string;
  readonly sessionId: string;
  readonly layout: Layout;
  readonly leadPaneId?: string;
  /** Members never share the lead's window. */
  readonly dedicatedWindow: boolean;
}

export type Place =
  | { readonly kind: 'window' }
  | {
      readonly kind: 'split';
      readonly windowId: string;
      readonly target: string;
      readonly direction: 'right' | 'below';
      /** Columns of the new pane, where it matters. */
      readonly size?: number;
    };

/** A window in which nobody but this team has a pane. */
export interface TeamWindow extends Size {
  readonly windowId: string;
  readonly paneIds: readonly string[];
  /** The lead's pane is the first: it keeps the left side. */
  readonly hasLead: boolean;
}

/** Where the next member's pane goes. */
export function placeMember(panes: readonly PlacedPane[], arrangement: Arrangement): Place {
  if (arrangement.layout === 'windows') return { kind: 'window' };
  const window = teamWindows(panes, arrangement)
    .filter((candidate) => membersOf(candidate) < capacity(candidate, candidate.hasLead))
    .sort((a, b) => Number(b.hasLead) - Number(a.hasLead))[0];
  if (window === undefined) return { kind: 'window' };
  const [lead] = window.paneIds;
  if (window.hasLead && membersOf(window) === 0 && lead !== undefined) {
    const { right } = columns(window);
    return { kind: 'split', windowId: window.windowId, target: lead, direction: 'right', size: right };
  }
  const target = largest(panes.filter(({ paneId }) => window.paneIds.slice(window.hasLead ? 1 : 0).includes(paneId)));
  if (target === undefined) return { kind: 'window' };
  const isWide = target.height < 2 * MIN_HEIGHT + 1 && target.width > 2 * MIN_WIDTH;
  return { kind: 'split', windowId: window.windowId, target: target.paneId, direction: isWide ? 'right' : 'below' };
}

/**
 * The windows that may be split and tiled: a window with a pane of anybody else is left as it is, and so is that of a
 * member that was put away.
 */
export function teamWindows(panes: readonly PlacedPane[], arrangement: Arrangement): TeamWindow[] {
  const { team, sessionId, leadPaneId, dedicatedWindow } = arrangement;
  return [...new Set(panes.map(({ windowId }) => windowId))].flatMap((windowId) => {
    const members = panes.filter((pane) => pane.windowId === windowId);
    const [first] = members;
    if (first === undefined || first.sessionId !== sessionId) return [];
    if (!members.every((pane) => pane.team === team || pane.paneId === leadPaneId)) return [];
    if (first.isHidden && members.length === 1) return [];
    const holdsLead = members.some(({ paneId }) => paneId === leadPaneId);
    if (holdsLead && dedicatedWindow) return [];
    const paneIds = members.map(({ paneId }) => paneId);
    const hasLead = first.paneId === leadPaneId;
    return [{ windowId, paneIds, hasLead, width: first.windowWidth, height: first.windowHeight }];
  });
}

/** How many members a window shows before their panes get too small. */
export function capacity(window: Size, hasLead: boolean): number {
  const width = hasLead ? columns(window).right : window.width;
  return Math.floor((width + 1) / (MIN_WIDTH + 1)) * rowsIn(window);
}

/** Whether every member has a line below its border: a window that has shrunk further is left to tmux. */
export function fits(window: TeamWindow): boolean {
  const members = membersOf(window);
  const width = window.hasLead ? columns(window).right : window.width;
  return Math.ceil(members / columnsFor(members, { ...window, width })) * 2 <= window.height;
}

/** tmux's layout string for a window: the lead on the left, its members in columns on the right. */
export function layoutOf({ paneIds, hasLead, ...window }: TeamWindow): string {
  const body = arrange(paneIds, hasLead, window);
  return `${checksum(body)},${body}`;
}

function arrange(paneIds: readonly string[], hasLead: boolean, window: Size): string {
  const [lead = ''] = paneIds;
  const whole = { ...window, x: 0, y: 0 };
  if (paneIds.length === 1) return leaf(whole, lead);
  if (!hasLead) return sideBySide(whole, memberColumns(whole, paneIds));
  const { left, right } = columns(window);
  const area = { ...whole, x: left + 1, width: right };
  return sideBySide(whole, [leaf({ ...whole, width: left }, lead), ...memberColumns(area, paneIds.slice(1))]);
}

interface Cell extends Size {
  readonly x: number;
  readonly y: number;
}

function memberColumns(area: Cell, paneIds: readonly string[]): string[] {
  const count = columnsFor(paneIds.length, area);
  const sizes = share(paneIds.length, count);
  let x = area.x;
  let taken = 0;
  return share(area.width - (count - 1), count).map((width, index) => {
    const size = sizes[index] ?? 0;
    const column = stack({ ...area, x, width }, paneIds.slice(taken, taken + size));
    x += width + 1;
    taken += size;
    return column;
  });
}

function stack(area: Cell, paneIds: readonly string[]): string {
  const [only = ''] = paneIds;
  if (paneIds.length === 1) return leaf(area, only);
  let y = area.y;
  const cells = share(area.height - (paneIds.length - 1), paneIds.length).map((height, index) => {
    const cell = leaf({ ...area, y, height }, paneIds[index] ?? '');
    y += height + 1;
    return cell;
  });
  return `${place(area)}[${cells.join(',')}]`;
}

function sideBySide(area: Cell, cells: readonly string[]): string {
  const [only = ''] = cells;
  return cells.length === 1 ? only : `${place(area)}{${cells.join(',')}}`;
}

const place = ({ width, height, x, y }: Cell) => `${width}x${height},${x},${y}`;
const leaf = (cell: Cell, paneId: string) => `${place(cell)},${paneId.slice(1)}`;

function columns({ width }: Size): { left: number; right: number } {
  const left = Math.floor(width * LEAD_SHARE);
  return { left, right: width - left - 1 };
}

/** As few columns as give each member its least height; in a window that has shrunk, no more than have their least width. */
function columnsFor(members: number, area: Size): number {
  const most = Math.max(1, Math.floor((area.width + 1) / (MIN_WIDTH + 1)));
  return Math.min(most, Math.ceil(members / Math.max(1, rowsIn(area))));
}

// Each pane has a line for its border's title.
const rowsIn = ({ height }: Size) => Math.floor(height / (MIN_HEIGHT + 1));
const membersOf = ({ paneIds, hasLead }: TeamWindow) => paneIds.length - (hasLead ? 1 : 0);

/** `total` in `parts` whole parts, the larger ones last. */
function share(total: number, parts: number): number[] {
  const base = Math.floor(total / parts);
  const larger = total - base * parts;
  return Array.from({ length: parts }, (_, index) => base + (index >= parts - larger ? 1 : 0));
}

// The last of equals: members then stay in the order in which they came.
function largest<T extends Size>(panes: readonly T[]): T | undefined {
  return panes.reduce<T | undefined>(
    (best, pane) => (best === undefined || pane.width * pane.height >= best.width * best.height ? pane : best),
    undefined,
  );
}

// tmux refuses a layout without this sum (layout-custom.c): 16 bits, rotated right by one before each character.
function checksum(layout: string): string {
  let sum = 0;
  for (const character of layout) sum = (((sum >> 1) | ((sum & 1) << 15)) + character.charCodeAt(0)) & 0xffff;
  return sum.toString(16).padStart(4, '0');
}
