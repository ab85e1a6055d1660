import type { ProcessRef } from '../host/processes.js';
import type { StyledLine } from '../util/styledText.js';

export type BackendType = 'tmux' | 'iterm2' | 'in-process';

/** Where a member is shown and what of that is ours. */
export interface Pane {
  /** tmux's `%N`, the id of a session of iTerm2, or `in-process`. */
  readonly paneId: string;
  /** tmux's `@N`; elsewhere the member's name. */
  readonly windowId?: string;
  /** False for a pane that was the user's before we came; it is never closed by us. */
  readonly ownsPane: boolean;
}

/** Tells a pane's process which launch its file must hold: the file of a later start may be there by then. */
export const LAUNCH_VARIABLE = 'TROUPE_LAUNCH';

export interface PaneRequest {
  readonly team: string;
  readonly member: string;
  readonly color?: string;
  /** Absolute. */
  readonly cwd: string;
  /** The launch file that the member's process reads first. */
  readonly launchFile: string;
  /** As `LAUNCH_VARIABLE` has it. */
  readonly launchId?: string | undefined;
  /** The pane (or window) that new ones go beside, where there is one. */
  readonly role: 'lead' | 'teammate';
  /** It was put away before, and is shown no more than it was. */
  readonly isHidden?: boolean | undefined;
  /** Variables of what keeps its pane open until it runs: by them that is found where whoever starts it died. */
  readonly mark?: Readonly<Record<string, string>> | undefined;
}

/** How a process in a pane ended, and what it said last. */
export interface PaneEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lastLines: string;
}

/** One way to run a member's process. Both are held to the same conformance suite. */
export interface Backend {
  readonly type: BackendType;
  /** Starts the member's process; it is not ready yet. Leaves nothing behind when it throws. */
  start(request: PaneRequest): Promise<Pane>;
  /** How the process ended, or `undefined` while it lives. A pane that is gone ended without a word. */
  ended(pane: Pane): Promise<PaneEnd | undefined>;
  /** Milliseconds of processor time that it and what it runs have had; `undefined` where it is gone or nobody can tell. */
  effort(pane: Pane): Promise<number | undefined>;
  /** Where a member's process runs, for who has not started it; nothing where none does. */
  find(owner: { readonly team: string; readonly member: string }): Promise<Pane | undefined>;
  /** The last lines of what it shows. */
  capture(pane: Pane, lines: number): Promise<string>;
  /** Closes the pane if it is ours, carries the mark of this team and member, and runs no process but `process`. */
  close(
    pane: Pane,
    owner: { readonly team: string; readonly member: string; readonly process?: ProcessRef },
  ): Promise<void>;
  /** Brings what it shows up to date: borders at once, what a person changed within seconds. One call for all members. */
  refresh(members: readonly PaneFacts[]): Promise<void>;
  /** Shows lines below all panes, or none any more; only where the whole screen is ours. */
  readonly statusLine?: (lines: readonly StyledLine[]) => Promise<void>;
}

/** What a pane's border tells. */
export interface PaneFacts {
  readonly pane: Pane;
  readonly member: string;
  readonly color?: string;
  readonly state: string;
  readonly activity?: string;
}
