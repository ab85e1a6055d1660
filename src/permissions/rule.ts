import { UserError } from '../util/errors.js';

/** One permission rule: a tool, or a tool and what it may be called with. */
export interface Rule {
  /** A tool's name; `mcp__server`, or with `*` in it, for several. */
  readonly tool: string;
  /** Absent: every call of the tool. */
  readonly specifier?: string;
  /** The absolute folder that a path with a leading `/` starts from; the agent's own directory when absent. */
  readonly base?: string;
}

export type Behavior = 'allow' | 'ask' | 'deny';

const ALIASES: Readonly<Record<string, string>> = {
  Task: 'Agent',
  FileRead: 'Read',
  FileEdit: 'Edit',
  FileWrite: 'Write',
};
/** `Cd` is no tool: its rules are for the folders that a shell goes to. */
const PATH_TOOLS = new Set(['Read', 'Grep', 'Glob', 'LSP', 'Edit', 'Write', 'NotebookEdit', 'Cd']);
/** A rule for Read speaks of every tool that reads files, one for Edit of every tool that writes them. */
const COVERS: Readonly<Record<string, readonly string[]>> = {
  Read: ['Read', 'Grep', 'Glob', 'LSP'],
  Edit: ['Edit', 'Write', 'NotebookEdit'],
};

/**
 * Parses `Tool` or `Tool(specifier)`, as settings, templates and the command line have it.
 * @param base the folder that `/path` is relative to: the project's for its settings.
 * @throws UserError that quotes the rule and says what a rule looks like.
 */
export function parseRule(text: string, base?: string): Rule {
  const [, name, parenthesis, inner] = /^([A-Za-z*][\w*.:-]*)(\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (name === undefined) throw nonsense(text, 'it is not a tool name, or a tool name and something in parentheses');
  const tool = toolNameOf(name);
  const specifier = inner?.trim();
  if (parenthesis === undefined || specifier === '*') return { tool };
  if (specifier === undefined || specifier === '') throw nonsense(text, 'the parentheses are empty');
  if (specifier.includes('\0')) throw nonsense(text, 'it holds a NUL character');
  if (PATH_TOOLS.has(tool) && /^[!#]/.test(specifier)) throw nonsense(text, 'a path must not begin with "!" or "#"');
  return { tool, specifier, ...(base !== undefined && { base }) };
}

function nonsense(text: string, problem: string): UserError {
  const examples = 'Rules look like "Read", "Bash(npm test *)", "Edit(src/**)" or "mcp__server__tool"';
  return new UserError(`${JSON.stringify(text)} is not a permission rule: ${problem}. ${examples}.`);
}

/**
 * The same rule for readers who do not know where it was written: a `/path` in it becomes `//anchor/path`, from the
 * root of the file system (facts.md, Permissions). @throws UserError as `parseRule` does.
 */
export function anchoredRule(text: string, anchor: string): string {
  const { tool, specifier } = parseRule(text);
  const isAnchored = specifier !== undefined && PATH_TOOLS.has(tool) && /^\/(?!\/)/.test(specifier);
  return isAnchored ? `${tool}(/${anchor}${specifier})` : text;
}

export function formatRule({ tool, specifier }: Rule): string {
  return specifier === undefined ? tool : `${tool}(${specifier})`;
}

/** A tool's name today, for one of its former names. */
export function toolNameOf(name: string): string {
  return ALIASES[name] ?? name;
}

/** Whether the rule speaks of this tool at all. An allow rule has no wildcards but behind `mcp__<server>__`. */
export function isAbout(rule: Rule, toolName: string, behavior: Behavior): boolean {
  const { tool } = rule;
  if (tool === toolName || COVERS[tool]?.includes(toolName)) return true;
  if (tool.startsWith('mcp__') && !tool.includes('*') && !tool.slice(5).includes('__'))
    return toolName.startsWith(`${tool}__`);
  if (!tool.includes('*') || (behavior === 'allow' && !/^mcp__[^*]+?__/.test(tool))) return false;
  return matchesWildcards(tool, toolName);
}

/** Whether a deny or ask rule speaks of all that an MCP server (`mcp__server`) has, and not of single tools of it. */
export function isAboutServer(rule: Rule, server: string): boolean {
  const { tool, specifier } = rule;
  return specifier === undefined && tool.startsWith('mcp__') && isAbout(rule, `${server}__`, 'deny');
}

/** `*` stands for anything; a ` *` (or `:*`) at the end also for nothing, but never for the rest of a word. */
export function matchesWildcards(pattern: string, text: string): boolean {
  const [, stem] = /^(.*?)(?:\s+\*|:\*)$/s.exec(pattern) ?? [];
  return stem === undefined ? expression(pattern).test(text) : text === stem || expression(`${stem} *`).test(text);
}

function expression(pattern: string): RegExp {
  const literal = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}
