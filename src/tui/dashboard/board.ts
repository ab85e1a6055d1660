import type { BoardMember, BoardMessage, BoardTask, TeamSnapshot, Waiting } from './snapshot.js';

export const PANES = ['members', 'waiting', 'tasks', 'messages', 'transcript'] as const;
export type Pane = (typeof PANES)[number];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What a person wants done. Each is what a command does. */
export type Act =
  | { readonly type: 'approve'; readonly id: string }
  | { readonly type: 'reject'; readonly id: string; readonly feedback: string }
  | { readonly type: 'allow'; readonly id: string; readonly always: boolean }
  | { readonly type: 'deny'; readonly id: string; readonly reason: string }
  | { readonly type: 'send'; readonly to: string; readonly text: string }
  | { readonly type: 'interrupt'; readonly member: string }
  | { readonly type: 'shutdown'; readonly member: string };

/** Something that can be looked at whole. */
export type Thing =
  | { readonly kind: 'waiting'; readonly waiting: Waiting }
  | { readonly kind: 'message'; readonly message: BoardMessage }
  | { readonly kind: 'task'; readonly task: BoardTask }
  | { readonly kind: 'member'; readonly member: BoardMember }
  | { readonly kind: 'help' };

/** A decision that waits for yes or no. `isSeen`: all of the thing has been on the screen. */
export interface Confirm {
  readonly kind: 'confirm';
  readonly act: Act;
  readonly thing?: Thing | undefined;
  readonly top: number;
  readonly isSeen: boolean;
}

/** A line of text that is asked for. */
export interface Ask {
  readonly kind: 'ask';
  readonly what: Asked;
  readonly text: string;
  readonly thing?: Thing | undefined;
  readonly top: number;
}

/** What lies over the panes. `top` is the first row of its thing that is seen. */
export type Overlay = Confirm | Ask | { readonly kind: 'open'; readonly thing: Thing; readonly top: number };

/** What a line of text is asked for. */
export type Asked =
  | { readonly for: 'reject' | 'deny'; readonly id: string; readonly from: string }
  | { readonly for: 'send'; readonly to: string }
  | { readonly for: 'filter'; readonly pane: Pane };

export interface Notice {
  readonly text: string;
  readonly isProblem: boolean;
}

/** What is to happen beside what is shown. */
export type Effect = { readonly type: 'leave' } | { readonly type: 'act'; readonly act: Act };

export interface Step {
  readonly board: Board;
  readonly effect?: Effect | undefined;
}

/** All that the dashboard shows: what a team is, and where the person looks. */
export interface Board {
  readonly snapshot: TeamSnapshot;
  readonly size: Size;
  readonly focus: Pane;
  /** Of the panes but the members, the one that a small terminal shows. */
  readonly below: Pane;
  /** The member whose transcript is shown, by name. */
  readonly chosen: string | undefined;
  /** What is chosen in the other lists, by id. */
  readonly cursors: Readonly<Partial<Record<Pane, string>>>;
  /** Rows of the transcript below what is seen; 0 follows it. */
  readonly scroll: number;
  readonly filters: Readonly<Partial<Record<Pane, string | undefined>>>;
  readonly overlay?: Overlay | undefined;
  readonly notice?: Notice | undefined;
}

export function openBoard(snapshot: TeamSnapshot, size: Size, chosen?: string): Board {
  const focus = chosen === undefined ? 'members' : 'transcript';
  return { snapshot, size, focus, below: 'transcript', chosen, cursors: {}, scroll: 0, filters: {} };
}

export function colorOf({ snapshot: { members } }: Board, name: string): string | undefined {
  return members.find((member) => member.name === name)?.color;
}
