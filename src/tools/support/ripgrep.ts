import { run } from '../../host/run.js';
import { hasCode, messageOf, ToolError } from '../../util/errors.js';

/** Lines that ripgrep printed, without a last empty one. Exit 1 (nothing found) is no failure. @throws ToolError with ripgrep's own words. */
export async function ripgrep(args: readonly string[], cwd: string, signal: AbortSignal): Promise<string[]> {
  const { exitCode, stdout, stderr } = await start(
    await programPath(),
    ['--no-config', '--color=never', ...args],
    cwd,
    signal,
  );
  if (exitCode > 1 && stdout === '') throw new ToolError(`The search failed: ${stderr.trim().replace(/^rg: /, '')}`);
  return stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n');
}

async function start(file: string, args: readonly string[], cwd: string, signal: AbortSignal) {
  try {
    return await run(file, args, { cwd, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (messageOf(error).includes('maxBuffer'))
      throw new ToolError('Far too much matches. Narrow the pattern, the path or the glob.', { cause: error });
    if (messageOf(error).includes('ENOENT'))
      throw new ToolError('ripgrep is not installed. Search with grep through Bash.', { cause: error });
    throw error;
  }
}

/** The npm package's binary; `rg` on the PATH where the platform has none. */
async function programPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND') && !/ripgrep/.test(messageOf(error))) throw error;
    return 'rg';
  }
}
