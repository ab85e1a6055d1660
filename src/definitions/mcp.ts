import * as z from 'zod/mini';
import { isRecord } from './frontmatter.js';

const Texts = z.record(z.string(), z.string('must be text'), 'must be an object of texts');
const common = {
  /** Left out as if it were not written. */
  disabled: z.optional(z.boolean('must be true or false')),
  /** Milliseconds that one call may take. */
  timeout: z.optional(z.number('must be milliseconds').check(z.positive('must be more than 0'))),
  /** What other programs write beside, which changes nothing here. */
  description: z.optional(z.unknown()),
  alwaysLoad: z.optional(z.unknown()),
  alwaysAllow: z.optional(z.unknown()),
  autoApprove: z.optional(z.unknown()),
};
const Stdio = z.strictObject({
  type: z.literal('stdio'),
  command: z.string('must be text').check(z.minLength(1, 'must not be empty')),
  args: z.optional(z.array(z.string('must be text'), 'must be a list')),
  env: z.optional(Texts),
  ...common,
});
const Remote = z.strictObject({
  type: z.enum(['http', 'sse']),
  url: z.string('must be text').check(z.minLength(1, 'must not be empty')),
  headers: z.optional(Texts),
  /** A shell command that prints more headers as JSON, for each connection anew. */
  headersHelper: z.optional(z.string('must be text').check(z.minLength(1, 'must not be empty'))),
  ...common,
});

/** How an MCP server is reached: a program that is started, or an address (Model Context Protocol, transports). */
export type ServerConfig = z.infer<typeof Stdio> | z.infer<typeof Remote>;

/** Where a server is written down, the strongest first. */
export type ServerSource = 'managed' | 'flag' | 'local' | 'project' | 'user' | 'plugin' | 'definition';

export interface ConfiguredServer {
  /** As it was written; a plugin's is `plugin_<plugin>_<server>`. */
  readonly name: string;
  readonly source: ServerSource;
  /** For messages: a path, or a flag. */
  readonly file: string;
  /** With its variables as they were written. */
  readonly config: ServerConfig;
  /** Variables that stand in it besides those of the environment. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface ReadServers {
  readonly servers: readonly ConfiguredServer[];
  /** One line for each server that is left out, with file and key. */
  readonly problems: readonly string[];
}

const NO_SERVERS: ReadServers = { servers: [], problems: [] };

/** The servers of one place, `{name: configuration}`. A mistake in one of them leaves the others. */
export function readServers(raw: unknown, source: ServerSource, file: string, key = 'mcpServers'): ReadServers {
  if (raw === undefined || raw === null) return NO_SERVERS;
  if (!isRecord(raw)) return { servers: [], problems: [`${file}: "${key}" must be an object of servers by name.`] };
  const servers: ConfiguredServer[] = [];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(raw)) {
    const read = readServer(value, key === '' ? name : `${key}.${name}`);
    if ('config' in read) servers.push({ name, source, file, config: read.config });
    else problems.push(...read.problems.map((problem) => `${file}: ${problem} The server is left out.`));
  }
  return { servers, problems };
}

/** The inline servers of a definition's `mcpServers`. */
export function inlineServers(
  entries: readonly (string | Readonly<Record<string, unknown>>)[] | undefined,
  file: string,
): ReadServers {
  const read = (entries ?? []).map((entry) =>
    typeof entry === 'string' ? NO_SERVERS : readServers(entry, 'definition', file),
  );
  return {
    servers: read.flatMap(({ servers }) => servers),
    problems: read.flatMap(({ problems }) => problems),
  };
}

function readServer(
  value: unknown,
  key: string,
): { readonly config: ServerConfig } | { readonly problems: readonly string[] } {
  if (!isRecord(value)) return { problems: [`"${key}" must be an object.`] };
  const { type: written = 'command' in value ? 'stdio' : 'http' } = value;
  const type = written === 'streamable-http' ? 'http' : written;
  if (type !== 'stdio' && type !== 'http' && type !== 'sse')
    return { problems: [`"${key}.type" must be stdio, http or sse.`] };
  const parsed = (type === 'stdio' ? Stdio : Remote).safeParse({ ...value, type });
  if (parsed.success) return { config: parsed.data };
  return { problems: parsed.error.issues.map((issue) => problemOf(issue, key, type)) };
}

function problemOf(issue: z.core.$ZodIssue, key: string, type: string): string {
  if (issue.code === 'unrecognized_keys')
    return `${issue.keys.map((name) => `"${key}.${name}"`).join(', ')} is no key of a server of type ${type}.`;
  return `"${[key, ...issue.path.map(String)].join('.')}" ${issue.message}.`;
}

/** What stands for a server in the names of its tools: only what the API allows, and no `__`, which ends it. */
export function serverKey(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/_{2,}/g, '_');
}

/**
 * A definition's list of tools, with those of the servers that it names or brings along: who lists a server wants its
 * tools. Where the list itself speaks of a server, it alone decides which.
 */
export function toolListOf({
  tools,
  mcpServers = [],
}: {
  readonly tools?: readonly string[] | undefined;
  readonly mcpServers?: readonly (string | Readonly<Record<string, unknown>>)[] | undefined;
}): readonly string[] | undefined {
  if (tools === undefined) return undefined;
  const names = mcpServers.flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.keys(entry)));
  const unsaid = names
    .map((name) => `mcp__${serverKey(name)}`)
    .filter((server) => !tools.some((entry) => entry === server || entry.startsWith(`${server}__`)));
  return [...tools, ...unsaid];
}

/** Whether each wanted server is among `names`: a part of a name will do, in any case. Returns those that are not. */
export function missingServers(wanted: readonly string[] | undefined, names: readonly string[]): readonly string[] {
  const known = names.map((name) => name.toLowerCase());
  return (wanted ?? []).filter((want) => !known.some((name) => name.includes(want.toLowerCase())));
}

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** With `${VAR}` and `${VAR:-default}` filled in, in command, args, env, url and headers; or which variables are not set. */
export function expandServer(
  config: ServerConfig,
  variables: Readonly<Record<string, string>>,
): { readonly config: ServerConfig } | { readonly missing: readonly string[] } {
  const missing = new Set<string>();
  const fill = (text: string) =>
    text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
      const value = variables[name];
      if (fallback !== undefined) return value || fallback;
      if (value === undefined) missing.add(name);
      return value ?? '';
    });
  const fillAll = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
  const expanded: ServerConfig =
    config.type === 'stdio'
      ? {
          ...config,
          command: fill(config.command),
          ...(config.args && { args: config.args.map(fill) }),
          ...(config.env && { env: fillAll(config.env) }),
        }
      : { ...config, url: fill(config.url), ...(config.headers && { headers: fillAll(config.headers) }) };
  return missing.size > 0 ? { missing: [...missing] } : { config: expanded };
}
