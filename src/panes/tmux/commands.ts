import { PANE_FORMAT } from './parse.js';

export type TmuxCommand = readonly [name: string, ...args: string[]];

/** What ends a listing of panes when environments follow it in the same call. */
export const END_OF_PANES = '=== end of panes ===';

/** Our marks on a pane. Pane options inherit from windows, so no window or session option has one of these names. */
export const TEAM_MARK = '@troupe_team';
export const AGENT_MARK = '@troupe_agent';
/** A person has put the pane away. */
export const HIDDEN_MARK = '@troupe_hidden';

// A program that stays and prints nothing, in argv form: a single word would go through the user's shell.
export const PLACEHOLDER = ['/usr/bin/env', 'cat', '-'] as const;

const NEW_PANE = '#{pane_id}|#{window_id}';

export const listPanes: TmuxCommand = ['list-panes', '-a', '-F', PANE_FORMAT];

/** Everything that placing and starting a program needs to know, in one call. */
export function look(session: string): [TmuxCommand, ...TmuxCommand[]] {
  return [
    listPanes,
    ['display-message', '-p', END_OF_PANES],
    ['show-environment', '-g'],
    ['show-environment', '-t', session],
  ];
}

/** What a new pane begins with. */
export interface Placeholder {
  /** Absolute. */
  readonly cwd: string;
  readonly mark?: Readonly<Record<string, string>> | undefined;
}

/** A pane beside `target`, with a placeholder and without the focus. `size`: columns or lines. */
export function splitPane(
  target: string,
  direction: 'right' | 'below',
  placeholder: Placeholder,
  size?: number,
): TmuxCommand {
  const length = size === undefined ? [] : ['-l', String(size)];
  const flag = direction === 'right' ? '-h' : '-v';
  return ['split-window', '-d', flag, ...length, '-P', '-F', NEW_PANE, '-t', target, ...held(placeholder)];
}

/** A window behind the session's others, with a placeholder. */
export function newWindow(session: string, name: string, placeholder: Placeholder): TmuxCommand {
  return ['new-window', '-d', '-P', '-F', NEW_PANE, '-n', name, '-t', `${session}:`, ...held(placeholder)];
}

function held({ cwd, mark = {} }: Placeholder): string[] {
  const variables = Object.entries(mark).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  return [...variables, '-c', cwd, '--', ...PLACEHOLDER];
}

/** A pane that has company gets a window of its own, behind the session's others and without the focus. */
export function breakPane(pane: string, session: string, name: string): TmuxCommand {
  return ['break-pane', '-d', '-P', '-F', NEW_PANE, '-n', name, '-s', pane, '-t', `${session}:`];
}

/** Brings a pane beside another one. `size`: columns or lines. */
export function joinPane(pane: string, target: string, direction: 'right' | 'below', size?: number): TmuxCommand {
  const length = size === undefined ? [] : ['-l', String(size)];
  return ['join-pane', '-d', direction === 'right' ? '-h' : '-v', ...length, '-s', pane, '-t', target];
}

export function respawnPane(pane: string, cwd: string, argv: readonly string[]): TmuxCommand {
  return ['respawn-pane', '-k', '-t', pane, '-c', cwd, '--', ...argv];
}

export function setPaneOption(pane: string, option: string, value: string): TmuxCommand {
  return ['set-option', '-p', '-t', pane, option, value];
}

export function unsetPaneOption(pane: string, option: string): TmuxCommand {
  return ['set-option', '-p', '-u', '-t', pane, option];
}

export function setWindowOption(window: string, option: string, value: string): TmuxCommand {
  return ['set-option', '-w', '-t', window, option, value];
}

export function unsetWindowOption(window: string, option: string): TmuxCommand {
  return ['set-option', '-w', '-u', '-t', window, option];
}

export function showWindowOption(window: string, option: string): TmuxCommand {
  return ['show-options', '-w', '-q', '-v', '-t', window, option];
}

/** The text of a pane with its history, lines that were wrapped joined. */
export function capturePane(pane: string, history: number | 'all'): TmuxCommand {
  return ['capture-pane', '-p', '-J', '-S', history === 'all' ? '-' : String(-history), '-t', pane];
}

/** One tmux invocation: commands joined by `;` run with nothing in between, up to the first that fails. */
export function joinCommands(commands: readonly TmuxCommand[]): string[] {
  return commands.flatMap((command, index) => [...(index > 0 ? [';'] : []), ...command.map(escapeArgument)]);
}

// tmux reads a `;` at the end of any argument as the end of the command.
function escapeArgument(argument: string): string {
  return argument.endsWith(';') ? `${argument.slice(0, -1)}\\;` : argument;
}
