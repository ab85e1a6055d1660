import * as z from 'zod/mini';
import { oneLine } from '../../util/text.js';
import type { PaneFacts } from '../backend.js';
import {
  AGENT_MARK,
  setPaneOption,
  setWindowOption,
  showWindowOption,
  type TmuxCommand,
  unsetWindowOption,
} from './commands.js';
import type { Tmux } from './tmux.js';

/** The window option that says whose borders a window shows. Not a pane's mark: panes inherit from their window. */
const WINDOW_MARK = '@troupe_window';
/** What the user's window had before, as JSON. */
const SAVED = '@troupe_saved';

const FORMAT = [
  `#{?${AGENT_MARK},`,
  `#[fg=#{@troupe_color}]#[bold] #{${AGENT_MARK}} #[nobold]`,
  // Also when nobody is left to say so: of a lead that was killed, tmux alone knows.
  '#{?pane_dead,#{?#{==:#{@troupe_state},exited},exited,terminated},#{@troupe_state} #{@troupe_activity}}#[default],',
  ' #{pane_title} }',
].join('');

const BORDER_OPTIONS = { 'pane-border-status': 'top', 'pane-border-format': FORMAT } as const;
const Saved = z.record(z.string(), z.string());

const COLORS: Readonly<Record<string, string>> = { purple: 'magenta', orange: 'colour208', pink: 'colour212' };

/** Shows the team's borders in a window of ours. */
export function dressWindow(window: string, team: string): [TmuxCommand, ...TmuxCommand[]] {
  const options = Object.entries(BORDER_OPTIONS).map(([name, value]) => setWindowOption(window, name, value));
  return [setWindowOption(window, WINDOW_MARK, team), ...options];
}

/** Keeps what the user had set on a window before it is dressed. */
export async function saveWindow(tmux: Tmux, window: string): Promise<void> {
  const saved: Record<string, string> = {};
  for (const name of Object.keys(BORDER_OPTIONS)) {
    const lines = await tmux(showWindowOption(window, name));
    if (lines.length > 0) saved[name] = lines.join('\n');
  }
  await tmux(setWindowOption(window, SAVED, JSON.stringify(saved)));
}

/** Puts back what the user had set. A window whose options were not saved was made by us, and stays. */
export async function undressWindow(tmux: Tmux, window: string): Promise<void> {
  const [line] = await tmux(showWindowOption(window, SAVED));
  if (line === undefined) return;
  const saved = Saved.safeParse(JSON.parse(line)).data ?? {};
  const restored = Object.keys(BORDER_OPTIONS).map((name) => {
    const value = saved[name];
    return value === undefined ? unsetWindowOption(window, name) : setWindowOption(window, name, value);
  });
  await tmux(unsetWindowOption(window, SAVED), unsetWindowOption(window, WINDOW_MARK), ...restored);
}

/** The options that a member's border shows, as tmux draws them. */
export function borderValues(facts: Pick<PaneFacts, 'color' | 'state' | 'activity'>): Record<string, string> {
  return {
    '@troupe_color': colorOf(facts.color),
    '@troupe_state': plain(facts.state),
    '@troupe_activity': plain(facts.activity ?? ''),
  };
}

export function setBorder(pane: string, values: Readonly<Record<string, string>>): TmuxCommand[] {
  return Object.entries(values).map(([name, value]) => setPaneOption(pane, name, value));
}

/** Characters of commands in one call: tmux refuses more than 16 KB. The rest is shown the next time. */
const ONE_CALL = 8000;

/**
 * What to tell tmux so that the borders of those `onScreen` are right, given what they show by now. A pane that was the
 * user's before stays as it is.
 * Keys of `shown` are a pane and an option.
 */
export function borderChanges(
  members: readonly PaneFacts[],
  shown: ReadonlyMap<string, string>,
  onScreen: ReadonlySet<string>,
): { readonly commands: readonly TmuxCommand[]; readonly shown: ReadonlyMap<string, string> } {
  const commands: TmuxCommand[] = [];
  const changed = new Map<string, string>();
  let size = 0;
  for (const { pane, ...facts } of members) {
    if (!pane.ownsPane || !onScreen.has(pane.paneId)) continue;
    for (const [option, value] of Object.entries(borderValues(facts))) {
      const key = `${pane.paneId} ${option}`;
      if (shown.get(key) === value || size > ONE_CALL) continue;
      commands.push(setPaneOption(pane.paneId, option, value));
      changed.set(key, value);
      size += 40 + Buffer.byteLength(value);
    }
  }
  return { commands, shown: changed };
}

const colorOf = (color = 'default') => COLORS[color] ?? (/^[a-z]+\d*$/.test(color) ? color : 'default');

// `#[…]` would be taken for a style, and a control character for the end of the line.
const plain = (text: string) => oneLine(text.replace(/[\0-\x1f\x7f]/g, ' '), 60).replaceAll('#', '##');
