import { createRequire } from 'node:module';
import { killGroup } from '../../host/processes.js';
import { type Started, start } from '../../host/run.js';
import { hasCode, ToolError } from '../../util/errors.js';
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
  if (args.some((arg) => arg.includes('\0')))
    throw new ToolError('What is searched for must not hold a NUL character.');
  const program = await started(shippedRipgrep() ?? 'rg', ['--no-config', '--color=never', ...args], cwd);
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
    if (code !== 0 && code !== 1 && isSilent) throw new ToolError(`The search failed: ${forModel(await words)}`);
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

/** ripgrep's words, without its advice on flags, which a model cannot set. */
function forModel(words: string): string {
  return words
    .trim()
    .replace(/^rg: /, '')
    .replace(/^unrecognized file type: .*/, '$&. Leave type out and give a glob, such as *.ts.')
    .replace(/\n+Consider enabling multiline mode[\s\S]*/, '\nSet multiline to true to match across lines.')
    .replace(/\n+Consider enabling PCRE2[\s\S]*/, '\nUse a pattern without it, or grep -P with Bash.');
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

/**
 * The binary that the npm package has for this platform, if it has one. Found as the package itself finds it, for code that
 * V8 keeps cannot import() the package, which is an ES module.
 */
export function shippedRipgrep(): string | undefined {
  try {
    const ofPackage = createRequire(createRequire(import.meta.url).resolve('@vscode/ripgrep'));
    const binary = process.platform === 'win32' ? 'rg.exe' : 'rg';
    return ofPackage.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${binary}`);
  } catch {
    return undefined;
  }
}
