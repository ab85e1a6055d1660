import type { PermissionMode } from '../permissions/mode.js';
import { didYouMean } from '../util/text.js';
import { AgentFields } from './agentFields.js';
import { FileProblem, parseFrontMatter } from './frontmatter.js';
import { hookNotices } from './hook.js';
import { isForeignTool, isKnownTool, knownTools, toolOf } from './toolNames.js';

export type AgentSource = 'built-in' | 'plugin' | 'user' | 'project' | 'flag' | 'managed';

/** What a system prompt may depend on. */
export interface PromptContext {
  /** The tools that the agent has. */
  readonly toolNames: readonly string[];
}

/** `bubble` asks in the parent's terminal. Only the fork has it: no file and no call can ask for it. */
export type AgentMode = PermissionMode | 'bubble';

/** A kind of agent: its words, its tools, its model. Everything that differs between agents is in here (engine.md). */
export interface AgentDefinition extends Omit<AgentFields, 'permissionMode'> {
  readonly agentType: string;
  /** For whoever chooses among agents: when this one is the right one. */
  readonly whenToUse: string | (() => string);
  getSystemPrompt(context: PromptContext): string;
  readonly permissionMode?: AgentMode | undefined;
  /** Its model, its tools and its system prompt are its parent's, byte for byte, so that the prompt cache holds. */
  readonly sharesPrefix?: boolean;
  /** It has every tool in the background too. */
  readonly keepsAllTools?: boolean;
  /** Files and folders that it may read beside the working directories. Absolute. */
  readonly mayRead?: readonly string[];
  readonly source: AgentSource;
  /** The folder that it was found in. */
  readonly baseDir?: string;
  /** Absolute. */
  readonly filename?: string;
  readonly plugin?: string;
  /** The plugin's folder. */
  readonly pluginRoot?: string;
}

export interface ParsedAgent {
  readonly agent: AgentDefinition;
  /** One line each, with the file and line. */
  readonly warnings: readonly string[];
}

/** What an agent is made from, wherever it is written. */
export interface AgentText {
  readonly data: Readonly<Record<string, unknown>>;
  readonly prompt: string;
  /** For messages: a path, or `--agents`. */
  readonly file: string;
  readonly source: AgentSource;
  lineOf(key: string): number;
}

/**
 * Reads a Markdown definition: front matter for what it is, body for its system prompt.
 * @throws FileProblem where it cannot be an agent.
 */
export async function parseAgentFile(text: string, file: string, source: AgentSource): Promise<ParsedAgent> {
  const { data, body, lineOf } = await parseFrontMatter(text, file);
  const { agent, warnings } = agentFrom({ data, prompt: body, file, source, lineOf });
  return { agent: { ...agent, filename: file }, warnings };
}

/** @throws FileProblem where it cannot be an agent: no valid name or description, or a restriction that would not hold. */
export function agentFrom({ data, prompt, file, source, lineOf }: AgentText): ParsedAgent {
  const refuse = (key: string, reason: string): never => {
    throw new FileProblem(file, lineOf(key), reason);
  };
  const warnings: string[] = [];
  const warn = (key: string, reason: string) => warnings.push(`${file}:${lineOf(key)}: ${reason}`);

  for (const key of Object.keys(data)) {
    const meant = restrictionMeantBy(key);
    if (meant !== undefined) refuse(key, `"${key}" is not a key and would restrict nothing. Write "${meant}".`);
  }
  const { name, description } = data;
  const agentType = textOf(name) ?? refuse('name', 'it has no "name".');
  const problem = agentNameProblem(agentType);
  if (problem !== undefined) refuse('name', `${JSON.stringify(agentType)} cannot be the name of an agent: ${problem}.`);
  const whenToUse = textOf(description) ?? refuse('description', 'it has no "description".');

  const { fields, dropped } = readFields(data);
  for (const { key, reason } of dropped) {
    // Without its list of tools an agent would have more than its author allowed.
    if (RESTRICTIONS.has(key)) refuse(key, `"${key}" ${reason}.`);
    warn(key, `"${key}" ${reason}; it is left out.`);
  }
  for (const entry of fields.disallowedTools ?? [])
    if (!isKnownTool(entry) && !isForeignTool(entry)) refuse('disallowedTools', unknownTool('disallowedTools', entry));
  for (const entry of fields.tools ?? []) if (!isKnownTool(entry)) warn('tools', unknownTool('tools', entry));
  if (fields.hooks) warnings.push(...hookNotices({ file, events: fields.hooks }));
  for (const event of ['WorktreeCreate', 'WorktreeRemove'])
    if (fields.hooks?.[event])
      warn(
        'hooks',
        `"hooks.${event}" is never run: a worktree is there before its agent and after it. Put it into settings.`,
      );
  if (prompt === '') warn('name', 'it has no text below its front matter; the default system prompt stays.');

  const { tools, ...rest } = fields;
  const agent: AgentDefinition = {
    ...rest,
    ...(tools && !tools.includes('*') && { tools }),
    ...(prompt === '' && { appendSystemPrompt: true }),
    agentType,
    whenToUse,
    getSystemPrompt: () => prompt,
    source,
  };
  return { agent, warnings };
}

/** Why `name` cannot be an agent's, or `undefined` when it can. */
export function agentNameProblem(name: string): string | undefined {
  if (name.length > 256) return 'it has more than 256 characters';
  if (name.startsWith('-')) return 'it must not begin with "-"';
  if (name.includes(':')) return '":" is kept for the agents of plugins';
  if (/[/\\]/.test(name)) return 'it must not hold "/" or "\\"';
  if (/[(),*\0-\x1f\x7f]/.test(name))
    return 'a rule like "Agent(name)" could not name it: no parentheses, commas, "*" or control characters';
  if (name === 'fork') return 'that is the fork of a running agent';
  return undefined;
}

/** When to use `agent`, in words. */
export function whenToUse(agent: AgentDefinition): string {
  return typeof agent.whenToUse === 'function' ? agent.whenToUse() : agent.whenToUse;
}

const RESTRICTIONS = new Set<string>(['tools', 'disallowedTools']);
/** Other spellings of the keys that restrict, without case, `-` and `_`. */
const MEANT: Readonly<Record<string, string>> = {
  tool: 'tools',
  tools: 'tools',
  allowedtools: 'tools',
  disallowedtools: 'disallowedTools',
  disabledtools: 'disallowedTools',
  deniedtools: 'disallowedTools',
  permissionmode: 'permissionMode',
};

function restrictionMeantBy(key: string): string | undefined {
  const meant = MEANT[key.replace(/[-_ ]/g, '').toLowerCase()];
  return meant === key ? undefined : meant;
}

interface Dropped {
  readonly key: string;
  readonly reason: string;
}

/** The optional fields that are valid, and why the others are not. */
function readFields(data: Readonly<Record<string, unknown>>): { fields: AgentFields; dropped: readonly Dropped[] } {
  const given = Object.fromEntries(
    Object.entries(data).filter(
      ([key, value]) => key in AgentFields.shape && (value !== null || RESTRICTIONS.has(key)),
    ),
  );
  const parsed = AgentFields.safeParse(given);
  if (parsed.success) return { fields: parsed.data, dropped: [] };
  const dropped = new Map(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]));
  const valid = Object.fromEntries(Object.entries(given).filter(([key]) => !dropped.has(key)));
  return { fields: AgentFields.parse(valid), dropped: [...dropped].map(([key, reason]) => ({ key, reason })) };
}

function unknownTool(key: string, entry: string): string {
  const tool = toolOf(entry);
  return `"${key}" names "${tool}", and there is no such tool.${didYouMean(tool, knownTools())}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
