import { UserError } from '../../util/errors.js';
import { type Arrangement, type Layout, type Place, placeMember } from '../arrange.js';
import type { Pane, PaneRequest } from '../backend.js';
import { dressWindow, saveWindow } from './borders.js';
import type { TmuxCommand } from './commands.js';
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

export interface EmptyPane {
  readonly pane: Pane;
  /** All panes as `list-panes` told them behind it; absent where it was there before. */
  readonly lines?: readonly string[];
  /** What makes its window show our borders. */
  readonly dress: readonly TmuxCommand[];
}

/** Makes the pane that a program is then started in. */
export interface Placing {
  arrangement(rows: readonly PaneRow[]): Arrangement;
  /** A pane without a program of its own. */
  emptyPane(request: PaneRequest, rows: readonly PaneRow[]): Promise<EmptyPane>;
  /** Puts a member's pane away, into a window of its own. Returns where it is then. */
  putAway(row: PaneRow, rows: readonly PaneRow[]): Promise<Pane>;
  /** Puts it where a new member's would go; where there is no room, or each has a window, it stays where it is. */
  bringBack(row: PaneRow, rows: readonly PaneRow[]): Promise<Pane>;
}

export function createPlacing(tmux: Tmux, options: PlacingOptions): Placing {
  const { facts, team, leadPane, layout, dedicatedWindow = false } = options;

  function arrangement(rows: readonly PaneRow[]): Arrangement {
    const leadPaneId = leadPane?.paneId ?? rows.find((row) => row.team === team && row.agent === LEAD)?.paneId;
    const known = leadPaneId === undefined ? {} : { leadPaneId };
    return { team, sessionId: facts.sessionId, layout, dedicatedWindow, ...known };
  }

  function leadsPane(lead: Pane, rows: readonly PaneRow[]): EmptyPane {
    if (!lead.ownsPane) throw new Error(`${lead.paneId} is the user's pane: nothing is started in it.`);
    const row = rows.find(({ paneId }) => paneId === lead.paneId);
    if (row === undefined) throw new UserError(`The lead's pane ${lead.paneId} is gone. Run "troupe resume ${team}".`);
    const pane = { paneId: row.paneId, windowId: row.windowId, ownsPane: true };
    return { pane, dress: row.windowTeam === team ? [] : dressWindow(row.windowId, team) };
  }

  async function inNewWindow({ member, cwd, mark, isHidden }: PaneRequest): Promise<EmptyPane> {
    const name = layout === 'windows' || isHidden ? member : team;
    const { pane, lines } = await made(command.newWindow(facts.sessionId, name, { cwd, mark }));
    return { pane, lines, dress: dressWindow(pane.windowId, team) };
  }

  async function made(maker: TmuxCommand) {
    const lines = await tmux(maker, command.listPanes);
    return { pane: { ...parseNewPane(lines), ownsPane: true }, lines: lines.slice(1) };
  }

  /** A window that members come into may be the user's: what they had set there is kept. */
  async function dressShared(windowId: string, rows: readonly PaneRow[]): Promise<readonly TmuxCommand[]> {
    if (rows.some((row) => row.windowId === windowId && row.windowTeam === team)) return [];
    if (!facts.ownsServer) await saveWindow(tmux, windowId);
    return dressWindow(windowId, team);
  }

  return {
    arrangement,
    async emptyPane(request, rows) {
      if (request.role === 'lead') return leadPane ? leadsPane(leadPane, rows) : inNewWindow(request);
      const place: Place = request.isHidden ? { kind: 'window' } : placeMember(rows, arrangement(rows));
      if (place.kind === 'window') return inNewWindow(request);
      try {
        const { pane, lines } = await made(command.splitPane(place.target, place.direction, request, place.size));
        return { pane, lines, dress: await dressShared(pane.windowId, rows) };
      } catch (error) {
        if (!isTmuxFailure(error, 'no-space', 'gone')) throw error;
        return inNewWindow(request);
      }
    },

    async putAway({ paneId, windowId, agent }, rows) {
      const mark = command.setPaneOption(paneId, command.HIDDEN_MARK, '1');
      const isAlone = rows.filter((row) => row.windowId === windowId).length === 1;
      if (isAlone) {
        await tmux(mark);
        return { paneId, windowId, ownsPane: true };
      }
      const away = parseNewPane(await tmux(mark, command.breakPane(paneId, facts.sessionId, agent)));
      await tmux(...dressWindow(away.windowId, team));
      return { ...away, ownsPane: true };
    },

    async bringBack({ paneId, windowId }, rows) {
      const others = rows.filter((row) => row.paneId !== paneId);
      const hasCompany = others.some((row) => row.windowId === windowId);
      const place: Place = hasCompany ? { kind: 'window' } : placeMember(others, arrangement(rows));
      const unmark = command.unsetPaneOption(paneId, command.HIDDEN_MARK);
      const stays = { paneId, windowId, ownsPane: true };
      try {
        if (place.kind === 'window') {
          await tmux(unmark);
          return stays;
        }
        await tmux(unmark, command.joinPane(paneId, place.target, place.direction, place.size));
        const [first, ...more] = await dressShared(place.windowId, others);
        if (first) await tmux(first, ...more);
        return { ...stays, windowId: place.windowId };
      } catch (error) {
        if (!isTmuxFailure(error, 'no-space', 'gone')) throw error;
        return stays;
      }
    },
  };
}
