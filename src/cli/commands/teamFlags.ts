import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { TeamWish } from '../../app/start/planTeam.js';
import { messageOf, UserError } from '../../util/errors.js';
import {
  collected,
  keyValue,
  listOption,
  modeOption,
  money,
  pluginDirOption,
  positiveInteger,
  word,
} from './shared.js';

/** The flags that `up` and `run` share. */
export function withTeamFlags(command: Command): Command {
  return command
    .option('--template <name>', 'a template by name, whatever the first word is', word)
    .addOption(
      new Option('--set <key=value>', "a value for a template's variable; may be given several times")
        .argParser(keyValue)
        .default({}, 'none'),
    )
    .option('--name <name>', "the team's name")
    .option('--model <model>', 'sonnet, opus, haiku or a full id', word)
    .option('--fallback-model <model>', 'the model to use while the first is overloaded', word)
    .addOption(
      new Option('--effort <level>', 'how hard the model thinks').choices(['low', 'medium', 'high', 'xhigh', 'max']),
    )
    .addOption(modeOption())
    .addOption(listOption('--allowed-tools <rules>', 'what is allowed unasked, such as "Edit,Bash(npm test *)"'))
    .addOption(listOption('--disallowed-tools <rules>', 'what is denied, in the same form'))
    .option('--settings <file|json>', 'settings that go before all others', word)
    .option('--agents <json|file>', 'agent definitions that go before all others', word)
    .addOption(pluginDirOption('a plugin for this run; may be given several times'))
    .addOption(
      new Option('--mcp-config <file|json>', 'MCP servers for this run; may be given several times')
        .argParser(collected)
        .default([], 'none'),
    )
    .option('--system-prompt <text>', 'a system prompt in place of the default one')
    .option('--append-system-prompt <text>', 'text to add behind the system prompt')
    .option('--worktrees', 'a git worktree for each member')
    .option('--max-turns <n>', 'how many responses of the model each agent may have', positiveInteger)
    .option('--max-budget-usd <amount>', 'what the team may spend, in US dollars', money)
    .option('--trust', 'trust this folder for this run (see: troupe trust --help)')
    .option('--request-id <id>', 'an id of your own: the same one never starts two teams', word)
    .option('--replace', 'archive a dead team of that name first')
    .option('--dry-run', 'print what would start, and start nothing');
}

export interface TeamFlags {
  readonly template?: string;
  readonly set: Record<string, string>;
  readonly name?: string;
  readonly model?: string;
  readonly fallbackModel?: string;
  readonly effort?: TeamWish['effort'];
  readonly permissionMode?: TeamWish['permissionMode'];
  readonly allowedTools: string[];
  readonly disallowedTools: string[];
  readonly settings?: string;
  readonly agents?: string;
  readonly pluginDir: string[];
  readonly mcpConfig: string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly worktrees?: boolean;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly trust?: boolean;
  readonly requestId?: string;
  readonly replace?: boolean;
  readonly dryRun?: boolean;
  readonly layout?: 'panes' | 'windows';
}

export async function wishFrom(words: readonly string[], flags: TeamFlags): Promise<TeamWish> {
  const { agents, pluginDir, mcpConfig, worktrees = false, trust = false, replace = false, ...rest } = flags;
  return {
    ...rest,
    words,
    worktrees,
    trust,
    replace,
    pluginDirs: pluginDir,
    mcpServers: await serversFrom(mcpConfig),
    ...(agents !== undefined && { agents: await agentsFrom(agents) }),
  };
}

/** Each as `.mcp.json` has it; of two servers with the same name the later counts. */
async function serversFrom(given: readonly string[]): Promise<Record<string, unknown>> {
  const servers: Record<string, unknown> = {};
  for (const one of given) {
    const { mcpServers } = await objectFrom('--mcp-config', one, '{mcpServers: {name: {command, args, …}}}');
    if (!isObject(mcpServers))
      throw new UserError(`--mcp-config cannot be used: it must have "mcpServers", an object of servers by name.`);
    Object.assign(servers, mcpServers);
  }
  return servers;
}

function agentsFrom(given: string): Promise<Record<string, unknown>> {
  return objectFrom('--agents', given, '{name: {description, prompt, …}}');
}

/** JSON, or a file that holds it. */
async function objectFrom(flag: string, given: string, form: string): Promise<Record<string, unknown>> {
  try {
    const text = given.trimStart().startsWith('{') ? given : await readFile(given, 'utf8');
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (isObject(value)) return { ...value };
    throw new Error(`it must be an object: ${form}`);
  } catch (error) {
    throw new UserError(`${flag} cannot be used: ${messageOf(error)}`);
  }
}

function isObject(value: unknown): value is object & Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
