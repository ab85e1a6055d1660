import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { messageOf, UserError } from '../util/errors.js';
import { didYouMean } from '../util/text.js';
import { type AgentDefinition, type AgentSource, agentNameProblem, type ParsedAgent, whenToUse } from './agent.js';
import { loadAgentFile } from './agentFile.js';
import { type AgentSwitches, builtInAgents } from './builtin/all.js';
import type { GuideFacts } from './builtin/troupeGuide.js';
import { markdownFiles, requireInside, type SkippedFile } from './files.js';
import { FileProblem } from './frontmatter.js';
import { agentFromJson } from './json.js';
import { type Plugin, pluginsIn, requirePlugin } from './plugin.js';
import { barrierOf, withoutPowers } from './powers.js';
import { findProject } from './projectFolders.js';

export interface AgentPlaces {
  /** Absolute. */
  readonly cwd: string;
  readonly userHome: string;
  /** Whether the project's folder is trusted: without that, hooks and inline MCP servers of files are left out. */
  readonly trusted: boolean;
  /** Setting `strictPluginOnlyCustomization`: those of user and project never count. */
  readonly pluginsOnly?: boolean | undefined;
  /** `--agents`: definitions by name. */
  readonly flag?: Readonly<Record<string, unknown>> | undefined;
  /** The folder of what an administrator decides for everybody. */
  readonly managed?: string | undefined;
  /** `--plugin-dir`: a plugin each. Absolute. */
  readonly pluginDirs?: readonly string[] | undefined;
  /** The folder of the installed plugins. */
  readonly plugins?: string | undefined;
  readonly switches?: AgentSwitches | undefined;
  /** What the guide tells a person; without it there is no guide. */
  readonly guide?: Omit<GuideFacts, 'agents'> | undefined;
}

/** A definition that another one of the same name stands in front of. */
export interface OverriddenAgent {
  readonly agentType: string;
  readonly source: AgentSource;
  readonly file?: string;
  /** The file of the one that counts, or its source where it has none. */
  readonly by: string;
}

export interface LoadedAgents {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly skipped: readonly SkippedFile[];
  readonly overridden: readonly OverriddenAgent[];
  readonly warnings: readonly string[];
}

/** Estimated at four bytes a token: what all descriptions together should not pass, for every request carries them. */
const MAX_DESCRIPTION_TOKENS = 15_000;

/**
 * All agents that can be used in `cwd`: built-in < plugin < user < project (the nearest folder wins) < flag < managed.
 * A file that cannot be an agent is skipped and listed; one that has not changed since is not read again.
 * @throws UserError for what is wrong in `flag` and `pluginDirs`.
 */
export async function loadAgents(places: AgentPlaces): Promise<LoadedAgents> {
  const { flag = {}, managed, switches = {}, guide } = places;
  const pile = createPile();
  if (!switches.simple) {
    if (managed !== undefined) await addFolder(pile, join(managed, 'agents'), 'managed');
    for (const parsed of agentsOfFlag(flag)) pile.addParsed(parsed);
    await addUsersAndProjects(pile, places);
    await addPlugins(pile, places);
  }
  const { agents } = pile.loaded;
  const guideFacts = guide && (() => ({ ...guide, agents: [...agents.keys()] }));
  for (const agent of builtInAgents(switches, guideFacts)) pile.add(agent);
  warnOfLength(pile);
  return pile.loaded;
}

/** @throws UserError that names the nearest and all that there are, or what is wrong with the file that is called so. */
export function requireAgent(
  { agents, skipped }: Pick<LoadedAgents, 'agents' | 'skipped'>,
  name: string,
): AgentDefinition {
  const agent = agents.get(name);
  if (agent) return agent;
  const broken = skipped.find(({ file }) => basename(file, '.md') === name);
  if (broken) {
    const { file, line, reason } = broken;
    throw new UserError(
      `The agent "${name}" cannot be used: ${file}${line === undefined ? '' : `:${line}`}: ${reason}`,
    );
  }
  const known = [...agents.keys()].sort();
  throw new UserError(`Unknown agent type "${name}".${didYouMean(name, known)} Known: ${known.join(', ')}`);
}

async function addUsersAndProjects(pile: Pile, places: AgentPlaces): Promise<void> {
  const { cwd, userHome } = places;
  const barrier = barrierOf(places);
  const limit = (parsed: ParsedAgent) => (barrier === undefined ? parsed : withoutPowers(parsed, barrier));
  const ofUser = join(userHome, '.claude', 'agents');
  const { root, mainRoot } = await findProject(cwd);
  for (const { folder, inFrontOf } of await projectFolders(cwd)) {
    for (const file of folder === ofUser ? [] : await markdownFiles(folder)) {
      const isThere = inFrontOf !== undefined && existsSync(join(inFrontOf, relative(folder, file)));
      if (isThere) continue;
      const outside = places.trusted ? undefined : await requireInside(file, [root, mainRoot]).catch(messageOf);
      if (outside === undefined) await addFile(pile, file, 'project', limit);
      else pile.skip({ file, reason: outside });
    }
  }
  await addFolder(pile, ofUser, 'user', limit);
}

/**
 * The nearest first. In a linked worktree those of the main checkout come behind its own, for git carries over only what
 * is committed; of a file that is in both, the worktree's counts.
 */
async function projectFolders(cwd: string): Promise<{ folder: string; inFrontOf?: string }[]> {
  const { root, mainRoot, folders } = await findProject(cwd);
  const own = folders.map((path) => ({ folder: join(path, '.claude', 'agents') }));
  if (mainRoot === root) return own;
  const ofMain = own.map(({ folder }) => ({ folder: join(mainRoot, relative(root, folder)), inFrontOf: folder }));
  return [...own, ...ofMain];
}

/** A plugin that is named outright stands in front of an installed one of its name, as a whole. */
async function addPlugins(pile: Pile, { pluginDirs = [], plugins }: AgentPlaces): Promise<void> {
  const named = await Promise.all(pluginDirs.map(requirePlugin));
  const installed = plugins === undefined ? [] : await pluginsIn(plugins);
  const seen = new Map<string, Plugin>();
  for (const plugin of [...named, ...installed]) {
    const { name, path, files } = plugin;
    const problem = agentNameProblem(name);
    const earlier = seen.get(name);
    if (problem !== undefined) pile.skip({ file: path, reason: `its name cannot be that of a plugin: ${problem}` });
    else if (earlier) pile.warn(`${path}: plugin "${name}" is left out, for ${earlier.path} has that name.`);
    else {
      seen.set(name, plugin);
      pile.skip(...plugin.skipped);
      for (const parsed of plugin.agents) pile.addParsed(ofPlugin(plugin, parsed));
      for (const file of files) await addFile(pile, file, 'plugin', (parsed) => ofPlugin(plugin, parsed));
    }
  }
}

function ofPlugin({ name, path }: Plugin, { agent, warnings }: ParsedAgent): ParsedAgent {
  return {
    agent: { baseDir: path, ...agent, agentType: `${name}:${agent.agentType}`, plugin: name, pluginRoot: path },
    warnings,
  };
}

type Change = (parsed: ParsedAgent) => ParsedAgent;
const unchanged: Change = (parsed) => parsed;

async function addFolder(pile: Pile, folder: string, source: AgentSource, change?: Change): Promise<void> {
  for (const file of await markdownFiles(folder)) await addFile(pile, file, source, change);
}

async function addFile(pile: Pile, file: string, source: AgentSource, change = unchanged): Promise<void> {
  const read = await loadAgentFile(file, source);
  if ('reason' in read) pile.skip(read);
  else pile.addParsed(change(read));
}

function* agentsOfFlag(flag: Readonly<Record<string, unknown>>): Generator<ParsedAgent> {
  for (const [name, value] of Object.entries(flag)) {
    try {
      yield agentFromJson(name, value, '--agents', 'flag');
    } catch (error) {
      if (error instanceof FileProblem) throw new UserError(`--agents: ${error.reason}`);
      throw error;
    }
  }
}

/** Collects agents from the strongest source to the weakest: a name that is taken keeps its agent. */
interface Pile {
  add(agent: AgentDefinition): void;
  addParsed(parsed: ParsedAgent): void;
  skip(...files: readonly SkippedFile[]): void;
  warn(warning: string): void;
  readonly loaded: LoadedAgents;
}

function createPile(): Pile {
  const agents = new Map<string, AgentDefinition>();
  const skipped: SkippedFile[] = [];
  const overridden: OverriddenAgent[] = [];
  const warnings: string[] = [];
  const add = (agent: AgentDefinition) => {
    const { agentType, source, filename } = agent;
    const winner = agents.get(agentType);
    if (!winner) agents.set(agentType, agent);
    else {
      const by = winner.filename ?? winner.source;
      overridden.push({ agentType, source, ...(filename !== undefined && { file: filename }), by });
    }
  };
  return {
    add,
    addParsed(parsed) {
      warnings.push(...parsed.warnings);
      add(parsed.agent);
    },
    skip: (...files) => void skipped.push(...files),
    warn: (warning) => void warnings.push(warning),
    loaded: { agents, skipped, overridden, warnings },
  };
}

function warnOfLength(pile: Pile): void {
  const words = [...pile.loaded.agents.values()].map(whenToUse).join('');
  const tokens = Math.ceil(Buffer.byteLength(words) / 4);
  if (tokens > MAX_DESCRIPTION_TOKENS)
    pile.warn(
      `The descriptions of all agents have about ${tokens} tokens, which every lead reads: make them shorter, or have fewer.`,
    );
}
