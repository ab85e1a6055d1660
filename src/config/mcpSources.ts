import { join } from 'node:path';
import { readDefinition } from '../definitions/files.js';
import { isRecord } from '../definitions/frontmatter.js';
import { type ConfiguredServer, type ReadServers, readServers } from '../definitions/mcp.js';
import type { Plugin } from '../definitions/plugin.js';
import { findProject } from '../definitions/projectFolders.js';
import { hasCode, messageOf } from '../util/errors.js';
import { isApproved } from './mcpSettings.js';
import type { LoadedSettings } from './settings.js';

export interface McpPlaces {
  /** Absolute. */
  readonly cwd: string;
  readonly userHome: string;
  readonly trusted: boolean;
  /** Only those of plugins, managers and the command line count. */
  readonly pluginsOnly: boolean;
  /** Of the command line, by name. */
  readonly flag?: Readonly<Record<string, unknown>> | undefined;
  readonly settings: LoadedSettings;
  readonly plugins: readonly Plugin[];
}

export interface LoadedServers extends ReadServers {
  /** What was left out for want of trust: a line for each file. */
  readonly notices: readonly string[];
}

const NONE: ReadServers = { servers: [], problems: [] };

/**
 * The servers of a session, of each name the strongest: managed > command line > local (`~/.claude.json` for this
 * project, `.claude/settings.local.json`) > project (`.mcp.json`, `.claude/settings.json`) > user > plugins. Those of a
 * plugin have names of their own. What is wrong in one file or one server leaves the others.
 */
export async function loadServers(places: McpPlaces): Promise<LoadedServers> {
  const { cwd, userHome, trusted, pluginsOnly, flag, settings, plugins } = places;
  const { root, mainRoot } = await findProject(cwd);
  const ofSettings = (source: LoadedSettings['sources'][number]['source']) =>
    settings.sources
      .filter((place) => place.source === source)
      .map(({ settings: { mcpServers }, file }) => readServers(mcpServers, kindOf(source), file));
  const project: LoadedServers = pluginsOnly
    ? { ...NONE, notices: [] }
    : await projectServers([root, mainRoot], trusted, settings);
  const state = pluginsOnly ? { local: NONE, user: NONE } : await stateServers(userHome, [cwd, root, mainRoot]);
  const own = pluginsOnly
    ? []
    : [
        state.local,
        ...ofSettings('local'),
        project,
        ...ofSettings('project'),
        state.user,
        ...ofSettings('user'),
        ...ofSettings('troupe'),
      ];
  const read = [
    ...ofSettings('managed'),
    readServers(flag, 'flag', '--mcp-config'),
    ...own,
    ...(await Promise.all(plugins.map(pluginServers))),
  ];
  const servers = new Map<string, ConfiguredServer>();
  for (const server of read.flatMap((one) => one.servers))
    if (!servers.has(server.name)) servers.set(server.name, server);
  return {
    servers: [...servers.values()].filter(({ config }) => config.disabled !== true),
    problems: read.flatMap(({ problems }) => problems),
    notices: project.notices,
  };
}

function kindOf(source: LoadedSettings['sources'][number]['source']): ConfiguredServer['source'] {
  return source === 'troupe' ? 'user' : source;
}

/** `.mcp.json` of the checkout, in a linked worktree else that of the main one. Only where the folder is trusted. */
async function projectServers(
  roots: readonly string[],
  trusted: boolean,
  { settings }: LoadedSettings,
): Promise<LoadedServers> {
  for (const root of roots) {
    const file = join(root, '.mcp.json');
    const found = await readObject(file);
    if (found === undefined) continue;
    if ('problem' in found) return { servers: [], problems: [found.problem], notices: [] };
    if (!trusted) {
      const notice = `${file}: its MCP servers do not count until the folder is trusted (troupe trust).`;
      return { servers: [], problems: [], notices: [notice] };
    }
    const { servers, problems } = readServers(found.value['mcpServers'], 'project', file);
    return { servers: servers.filter(({ name }) => isApproved(name, settings)), problems, notices: [] };
  }
  return { ...NONE, notices: [] };
}

/** A user's own, in `~/.claude.json`: for all projects, and for each under its path. */
async function stateServers(
  userHome: string,
  folders: readonly string[],
): Promise<{ readonly local: ReadServers; readonly user: ReadServers }> {
  const file = join(userHome, '.claude.json');
  const found = await readObject(file);
  if (found === undefined) return { local: NONE, user: NONE };
  if ('problem' in found) return { local: { servers: [], problems: [found.problem] }, user: NONE };
  const { projects, mcpServers } = found.value;
  const folder = folders.find((path) => isRecord(projects) && isRecord(projects[path]));
  const project = folder !== undefined && isRecord(projects) ? projects[folder] : undefined;
  return {
    local: isRecord(project)
      ? readServers(project['mcpServers'], 'local', file, `projects.${folder}.mcpServers`)
      : NONE,
    user: readServers(mcpServers, 'user', file),
  };
}

/** A plugin's `.mcp.json`, whose servers may stand in it without `mcpServers` around them. */
async function pluginServers({ name: plugin, path }: Plugin): Promise<ReadServers> {
  const file = join(path, '.mcp.json');
  const found = await readObject(file);
  if (found === undefined) return NONE;
  if ('problem' in found) return { servers: [], problems: [found.problem] };
  const isWrapped = 'mcpServers' in found.value;
  const raw = isWrapped ? found.value['mcpServers'] : found.value;
  const { servers, problems } = readServers(raw, 'plugin', file, isWrapped ? 'mcpServers' : '');
  const variables = { CLAUDE_PLUGIN_ROOT: path };
  return {
    servers: servers.map((server) => ({ ...server, name: `plugin_${plugin}_${server.name}`, variables })),
    problems,
  };
}

/** Bytes: `~/.claude.json` holds much else. */
const MOST_OF_STATE = 64_000_000;

async function readObject(
  file: string,
): Promise<{ readonly value: Record<string, unknown> } | { readonly problem: string } | undefined> {
  try {
    const value: unknown = JSON.parse((await readDefinition(file, MOST_OF_STATE)).replace(/^\uFEFF/, ''));
    return isRecord(value)
      ? { value }
      : { problem: `${file} must hold one JSON object; its MCP servers are left out.` };
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    return { problem: `${file}: ${messageOf(error)}; its MCP servers are left out.` };
  }
}
