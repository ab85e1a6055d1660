import { type Arrangement, fits, layoutOf, type TeamWindow, teamWindows } from '../arrange.js';
import type { PaneRow } from './parse.js';
import { isTmuxFailure, type Tmux } from './tmux.js';

/** Keeps the windows of a team in shape. */
export interface Tiling {
  /** Arranges every window whose panes are not the ones that it was last arranged for. */
  arrange(rows: readonly PaneRow[], arrangement: Arrangement): Promise<void>;
}

export function createTiling(tmux: Tmux): Tiling {
  // A person may resize panes: a window is arranged again only when panes come or go.
  let arranged = new Map<string, string>();
  return {
    async arrange(rows, arrangement) {
      const windows = teamWindows(rows, arrangement);
      const before = arranged;
      arranged = new Map(windows.map((window) => [window.windowId, window.paneIds.join()]));
      for (const window of windows) {
        if (before.get(window.windowId) !== window.paneIds.join()) await select(tmux, window, rows);
      }
    },
  };
}

async function select(tmux: Tmux, window: TeamWindow, rows: readonly PaneRow[]): Promise<void> {
  const { windowLayout, isZoomed } = rows.find(({ windowId }) => windowId === window.windowId) ?? {};
  const layout = layoutOf(window);
  if (isZoomed || layout === windowLayout || window.paneIds.length < 2 || !fits(window)) return;
  try {
    await tmux(['select-layout', '-t', window.windowId, layout]);
  } catch (error) {
    // A pane that went in between makes the layout invalid; its going is the next reason to arrange.
    if (!isTmuxFailure(error, 'gone', 'no-server', 'refused')) throw error;
  }
}
