import { type Arrangement, fits, layoutOf, type TeamWindow, teamWindows } from '../arrange.js';
import type { PaneRow } from './parse.js';
import { isTmuxFailure, type Tmux } from './tmux.js';

/** Keeps the windows of a team in shape. */
export interface Tiling {
  /** Arranges every window that has other panes or another size than when it was last arranged, unless a person has resized its panes since. */
  arrange(rows: readonly PaneRow[], arrangement: Arrangement): Promise<void>;
}

/** How a window was when it was last looked at. */
interface Seen {
  readonly panes: string;
  readonly size: string;
  /** Its panes are where we put them, not where a person did. */
  readonly isOurs: boolean;
}

export function createTiling(tmux: Tmux): Tiling {
  let seen = new Map<string, Seen>();
  return {
    async arrange(rows, arrangement) {
      const before = seen;
      seen = new Map();
      for (const window of teamWindows(rows, arrangement)) {
        const last = before.get(window.windowId);
        const now = { panes: window.paneIds.join(), size: `${window.width}x${window.height}` };
        const row = rows.find(({ windowId }) => windowId === window.windowId);
        const hasOtherPanes = last?.panes !== now.panes;
        // tmux takes a new size from the lead and the members alike, which leaves a lead of a few columns.
        const hasOtherSize = last?.size !== now.size && last?.isOurs === true;
        const isNew = hasOtherPanes || hasOtherSize;
        if (isNew) await select(tmux, window, row);
        const isOurs = isNew || (last?.isOurs === true && (!fits(window) || row?.windowLayout === layoutOf(window)));
        seen.set(window.windowId, { ...now, isOurs });
      }
    },
  };
}

async function select(tmux: Tmux, window: TeamWindow, row: PaneRow | undefined): Promise<void> {
  const layout = layoutOf(window);
  if (row?.isZoomed || layout === row?.windowLayout || window.paneIds.length < 2 || !fits(window)) return;
  try {
    await tmux(['select-layout', '-t', window.windowId, layout]);
  } catch (error) {
    // A pane that went in between makes the layout invalid; its going is the next reason to arrange.
    if (!isTmuxFailure(error, 'gone', 'no-server', 'refused')) throw error;
  }
}
