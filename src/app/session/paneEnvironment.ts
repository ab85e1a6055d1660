import { enterFolder, environment, replaceEnvironment } from '../../config/env.js';
import type { Launch } from '../../team/start/launch.js';

/** What belongs to the terminal that a process is shown in, and not to whoever started it. */
const OF_THE_TERMINAL = new Set([
  'TMUX',
  'TMUX_PANE',
  'TERM',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERMINFO',
  'ITERM_SESSION_ID',
  'TERM_SESSION_ID',
  'COLORTERM',
  'COLUMNS',
  'LINES',
  'WINDOWID',
  'PWD',
  'OLDPWD',
  'SHLVL',
  '_',
]);

type Environment = Readonly<Record<string, string>>;

/** `given`, but for what belongs to the terminal: that is `own`'s. */
export function inTerminalOf(own: Environment, given: Environment): Record<string, string> {
  return Object.fromEntries([
    ...Object.entries(given).filter(([name]) => !OF_THE_TERMINAL.has(name)),
    ...Object.entries(own).filter(([name]) => OF_THE_TERMINAL.has(name)),
  ]);
}

/** Makes this process the launch file's: its environment, but for what is the pane's own, and its folder. */
export function becomeLaunched(launch: Launch): Launch {
  const merged = inTerminalOf(environment(), launch.environment);
  replaceEnvironment(merged);
  enterFolder(launch.cwd);
  return { ...launch, environment: merged };
}
