import { run } from '../host/run.js';

const MOST_MS = 10_000;
/** What a shell sets by itself. */
const OF_SHELL = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'BASHOPTS', 'SHELLOPTS']);

/**
 * The variables that hooks have written into `CLAUDE_ENV_FILE`, as `export NAME=value` or any other shell words that set
 * some: those that are not in `environment`, or have another value there. @throws Error where bash cannot read it.
 */
export async function variablesIn(
  file: string,
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Record<string, string>> {
  const script = 'set -a; . "$0" >/dev/null || exit 1; env -0';
  const { exitCode, stdout, stderr } = await run('bash', ['--norc', '-c', script, file], {
    ...{ env: environment, cwd, timeout: MOST_MS },
  });
  if (exitCode !== 0) throw new Error(stderr.trim() || `bash ended with ${exitCode}`);
  const pairs = stdout.split('\0').flatMap((line): [string, string][] => {
    const at = line.indexOf('=');
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
  });
  return Object.fromEntries(pairs.filter(([name, value]) => !OF_SHELL.has(name) && environment[name] !== value));
}
