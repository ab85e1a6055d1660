import { killGroup } from '../../host/processes.js';
import { type Started, start } from '../../host/run.js';
import { hasCode, messageOf, ToolError } from '../../util/errors.js';
import { head } from '../../util/text.js';

const MOST_WORDS = 4000;

/**
 * What ripgrep prints, one piece after the other; who has enough of it just stops, and it is ended. Exit 1 (nothing found)
 * is no failure. @param separator what a piece ends in. @throws ToolError with ripgrep's own words; the abort reason.
 */
export async function* ripgrep(
  args: readonly string[],
  {
    cwd,
    signal,
    separator = '\n',
  }: { readonly cwd: string; readonly signal: AbortSignal; readonly separator?: '\n' | '\0' },
): AsyncGenerator<string, void> {
  signal.throwIfAborted();
  const program = await started(await programPath(), ['--no-config', '--color=never', ...args], cwd);
  const end = () => killGroup(program.pid);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end(); // while it was being started
  let hasEnded = false;
  try {
    const words = errorWords(program);
    let isSilent = true;
    for await (const piece of pieces(program, separator)) {
      isSilent = false;
      yield piece;
    }
    const { code } = await program.exited;
    hasEnded = true;
    signal.throwIfAborted();
    if (code !== 0 && code !== 1 && isSilent)
      throw new ToolError(`The search failed: ${(await words).trim().replace(/^rg: /, '')}`);
  } finally {
    signal.removeEventListener('abort', end);
    if (!hasEnded) end();
  }
}

async function* pieces({ stdout }: Started, separator: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stdout?.setEncoding('utf8') ?? []) {
    const parts = `${rest}${chunk}`.split(separator);
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}

async function errorWords({ stderr }: Started): Promise<string> {
  let words = '';
  for await (const chunk of stderr?.setEncoding('utf8') ?? []) words = head(`${words}${chunk}`, MOST_WORDS);
  return words;
}

async function started(file: string, args: readonly string[], cwd: string): Promise<Started> {
  try {
    return await start(file, args, { cwd });
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
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
