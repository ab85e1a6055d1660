import { LAUNCH_VARIABLE } from '../backend.js';

// What node, its loader and libc read before the first line of a program runs: too early for a launch file.
const START_TIME = /^(NODE_OPTIONS|NODE_PATH|NODE_ENV|NODE_EXTRA_CA_CERTS|LD_.*|LANG|LC_.*|TZ|SSL_CERT_.*)$/;

// What belongs to the terminal, so that it is the pane's own.
const TERMINAL =
  /^(TMUX|TMUX_PANE|TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|COLORTERM|COLUMNS|LINES|PWD|OLDPWD|SHLVL|SHELL|_)$/;

/**
 * The command of a pane, for `execvp` and no shell. The rest of the environment comes from the launch file: nothing
 * secret and nothing large may be in an argv, which everybody can read and tmux refuses past 16 KB.
 */
export function paneArgv(given: {
  /** The node and the script. */
  readonly program: readonly string[];
  readonly role: 'lead' | 'teammate';
  readonly launchFile: string;
  readonly launchId?: string | undefined;
  /** That of whoever starts it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The names in tmux's own environment. */
  readonly serverNames: readonly string[];
}): string[] {
  const { program, role, launchFile, launchId, environment, serverNames } = given;
  const foreign = [...new Set(serverNames)].filter((name) => !(name in environment) && !TERMINAL.test(name));
  const early = Object.entries(environment).filter(([name]) => START_TIME.test(name));
  return [
    '/usr/bin/env',
    ...foreign.flatMap((name) => ['-u', name]),
    ...early.map(([name, value]) => `${name}=${value}`),
    ...(launchId === undefined ? [] : [`${LAUNCH_VARIABLE}=${launchId}`]),
    ...program,
    role,
    '--launch',
    launchFile,
  ];
}
