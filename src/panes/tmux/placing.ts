import { UserError } from '../../util/errors.js';
import { type Arrangement, type Layout, placeMember } from '../arrange.js';
import type { Pane, PaneRequest } from '../backend.js';
import { dressWindow, saveWindow } from './borders.js';
import * as command from './commands.js';
import { type PaneRow, parseNewPane } from './parse.js';
import type { TmuxServerFacts } from './server.js';
import { isTmuxFailure, type Tmux } from './tmux.js';

const LEAD = 'team-lead';

export interface PlacingOptions {
  readonly facts: TmuxServerFacts;
  readonly team: string;
  /** The lead's pane, where it is known: the empty one of `startOwnServer`, or the user's. */
  readonly leadPane?: Pane;
  readonly layout: Layout;
  /** Members never share the lead's window. */
  readonly dedicatedWindow?: boolean;
}

/** Makes the pane that a program is then started in. */
export interface Placing {
  arrangement(rows: readonly PaneRow[]): Arrangement;
  /** A pane without a program of its own, in a window that shows our borders. */
  emptyPane(request: PaneRequest, rows: readonly PaneRow[]): Promise<Pane>;
}

export function createPlacing(tmux: Tmux, options: PlacingOptions): Placing {
  const { facts, team, leadPane, layout, dedicatedWindow = false } = options;

  function arrangement(rows: readonly PaneRow[]): Arrangement {
    const leadPaneId = leadPane?.paneId ?? rows.find((row) => row.team === team && row.agent === LEAD)?.paneId;
    const known = leadPaneId === undefined ? {} : { leadPaneId };
    return { team, sessionId: facts.sessionId, layout, dedicatedWindow, ...known };
  }

  async function leadsPane(lead: Pane, rows: readonly PaneRow[]): Promise<Pane> {
    if (!lead.ownsPane) throw new Error(`${lead.paneId} is the user's pane: nothing is started in it.`);
    const row = rows.find(({ paneId }) => paneId === lead.paneId);
    if (row === undefined) throw new UserError(`The lead's pane ${lead.paneId} is gone. Run "troupe resume ${team}".`);
    await dress(row.windowId);
    return { paneId: row.paneId, windowId: row.windowId, ownsPane: true };
  }

  async function inNewWindow({ member, cwd }: PaneRequest): Promise<Pane> {
    const name = layout === 'windows' ? member : team;
    const made = parseNewPane(await tmux(command.newWindow(facts.sessionId, name, cwd)));
    await dress(made.windowId);
    return { ...made, ownsPane: true };
  }

  async function dress(windowId: string): Promise<void> {
    await tmux(...dressWindow(windowId, team));
  }

  return {
    arrangement,
    async emptyPane(request, rows) {
      if (request.role === 'lead') return leadPane ? leadsPane(leadPane, rows) : inNewWindow(request);
      const place = placeMember(rows, arrangement(rows));
      if (place.kind === 'window') return inNewWindow(request);
      try {
        const made = parseNewPane(
          await tmux(command.splitPane(place.target, place.direction, request.cwd, place.size)),
        );
        const isDressed = rows.some((row) => row.windowId === made.windowId && row.windowTeam === team);
        if (!isDressed) {
          if (!facts.ownsServer) await saveWindow(tmux, made.windowId);
          await dress(made.windowId);
        }
        return { ...made, ownsPane: true };
      } catch (error) {
        if (!isTmuxFailure(error, 'no-space', 'gone')) throw error;
        return inNewWindow(request);
      }
    },
  };
}
