import { type Command, InvalidArgumentError, Option } from 'commander';
import { UserError } from '../../util/errors.js';

/** `-t, --team` and `--json`, as most commands have them. */
export function withTeam(command: Command): Command {
  return command.option('-t, --team <name>', 'the team; may be left out where one is running');
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON');
}

/** The team of a command that takes it as its argument too. @throws UserError where the two name different ones. */
export function oneTeam(argument: string | undefined, flag: string | undefined): string | undefined {
  if (argument !== undefined && flag !== undefined && argument !== flag)
    throw new UserError(`Which team, ${JSON.stringify(argument)} or ${JSON.stringify(flag)} (-t)? Name one.`);
  return argument ?? flag;
}

/** Lines to copy, for below a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

export interface TeamOptions {
  readonly team?: string;
  readonly json?: boolean;
}

/** Where a member runs. */
export function placeWords(paneId: string): string {
  return paneId === 'in-process' ? 'the process of its lead' : paneId;
}

/** For `--set key=value`, given several times. */
export function keyValue(text: string, before: Record<string, string>): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be KEY=VALUE.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** For a flag that takes a comma-separated list and may be given several times; commas inside parentheses stay. */
export function list(text: string, before: readonly string[] = []): string[] {
  // An open parenthesis takes all that follows it: dropped, a rule for one command would become one for the whole tool.
  const entries = text.match(/(?:[^,(]|\([^)]*(?:\)|$))+/g) ?? [];
  return [...before, ...entries.map((entry) => entry.trim()).filter((entry) => entry !== '')];
}

/** For a flag that may be given several times. */
export function collected(text: string, before: readonly string[]): string[] {
  return [...before, text];
}

/** Folders of plugins, each whole. */
export function pluginDirOption(description: string): Option {
  return new Option('--plugin-dir <path>', description).argParser(collected).default([], 'none');
}

export function listOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(list).default([], 'none');
}

/** For a name or a path, which is never nothing. */
export function word(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return Number(text);
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function money(text: string): number {
  const amount = Number(text.replace(/^\$/, ''));
  if (!Number.isFinite(amount) || amount <= 0)
    throw new InvalidArgumentError('It must be an amount in US dollars, like 0.50.');
  return amount;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `30m`, `90s`, `1.5h`, `200ms`; a plain number is seconds. In milliseconds. */
export function duration(text: string): number {
  const [, amount = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  if (amount === '') throw new InvalidArgumentError('It must be a duration like 30m, 90s or 1h.');
  return Number(amount) * (UNITS[unit] ?? 1000);
}

/** For what ends at once without any. */
export function positiveDuration(text: string): number {
  const ms = duration(text);
  if (ms <= 0) throw new InvalidArgumentError('It must be more than 0: a duration like 30m, 90s or 1h.');
  return ms;
}

export const modeOption = () =>
  new Option('--permission-mode <mode>', 'what is allowed unasked').choices([
    'default',
    'acceptEdits',
    'plan',
    'auto',
    'dontAsk',
    'bypassPermissions',
  ]);

export const backendOption = () =>
  new Option('--backend <where>', 'where members run').choices(['auto', 'tmux', 'iterm2', 'in-process']);
