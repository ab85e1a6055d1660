import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hasCode, UserError } from '../util/errors.js';
import { agentNameProblem, type ParsedAgent } from './agent.js';
import { markdownFiles, readDefinition, type SkippedFile, skippedBecause } from './files.js';
import { FileProblem, isRecord } from './frontmatter.js';
import { agentFromJson } from './json.js';

/** Where a plugin that is a folder says what it is; the first that is there counts. */
const MANIFESTS = ['plugin.json', join('.claude-plugin', 'plugin.json')];

export interface Plugin {
  readonly name: string;
  /** The folder, or the JSON file, that it is. */
  readonly path: string;
  /** Markdown definitions. */
  readonly files: readonly string[];
  /** Definitions from its JSON. */
  readonly agents: readonly ParsedAgent[];
  readonly skipped: readonly SkippedFile[];
}

/** A plugin of `--plugin-dir`. @throws UserError where there is none. */
export async function requirePlugin(path: string): Promise<Plugin> {
  const plugin = await openPlugin(path);
  if (!plugin) throw new UserError(`--plugin-dir: there is no plugin at ${path}.`);
  return plugin;
}

/** The plugins in a folder of plugins, by name of their folders. */
export async function pluginsIn(folder: string): Promise<Plugin[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return [];
    throw error;
  });
  const shown = names.filter((name) => !name.startsWith('.')).sort();
  const plugins = await Promise.all(shown.map((name) => openPlugin(join(folder, name))));
  return plugins.filter((plugin) => plugin !== undefined);
}

/**
 * Those of `--plugin-dir` and the installed ones, of each name the first.
 * @throws UserError for one of `--plugin-dir` that is none.
 */
export async function pluginsOf(named: readonly string[], installed: string): Promise<Plugin[]> {
  const all = [...(await Promise.all(named.map(requirePlugin))), ...(await pluginsIn(installed))];
  return all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
}

/** A folder with `agents/` and perhaps a manifest, or one JSON file `{name?, agents: {name: definition}}`. */
async function openPlugin(path: string): Promise<Plugin | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) {
    const manifest = await manifestOf(path);
    const read = manifest === undefined ? NOTHING : await readManifest(manifest);
    return {
      ...read,
      name: read.name ?? basename(path),
      path,
      files: await markdownFiles(join(path, 'agents')),
    };
  }
  if (!found?.isFile() || !path.endsWith('.json')) return undefined;
  const read = await readManifest(path);
  return { ...read, name: read.name ?? basename(path, '.json'), path, files: [] };
}

async function manifestOf(folder: string): Promise<string | undefined> {
  for (const name of MANIFESTS) {
    const path = join(folder, name);
    if (await stat(path).catch(() => undefined)) return path;
  }
  return undefined;
}

type Manifest = Pick<Plugin, 'agents' | 'skipped'> & { readonly name?: string };
const NOTHING: Manifest = { agents: [], skipped: [] };

async function readManifest(file: string): Promise<Manifest> {
  try {
    return agentsOfManifest(await readDefinition(file), file);
  } catch (error) {
    return { agents: [], skipped: [skippedBecause(file, error)] };
  }
}

/** @throws FileProblem where the whole text is none; a mistake in one agent leaves the others. */
export function agentsOfManifest(text: string, file: string): Manifest {
  const refuse = (reason: string) => new FileProblem(file, 1, reason);
  const manifest = parsed(text, file);
  const { name, agents = {} } = manifest;
  if (name !== undefined && (typeof name !== 'string' || agentNameProblem(name) !== undefined))
    throw refuse(`its "name" ${JSON.stringify(name)} cannot stand before the names of agents.`);
  if (!isRecord(agents)) throw refuse('its "agents" must be an object of definitions by name.');
  const good: ParsedAgent[] = [];
  const skipped: SkippedFile[] = [];
  for (const [agent, value] of Object.entries(agents)) {
    try {
      good.push(agentFromJson(agent, value, file, 'plugin'));
    } catch (error) {
      skipped.push(skippedBecause(file, error));
    }
  }
  return { ...(name !== undefined && { name }), agents: good, skipped };
}

function parsed(text: string, file: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new FileProblem(file, 1, 'it is not JSON.', { cause: error });
  }
  if (!isRecord(value)) throw new FileProblem(file, 1, 'it must hold one JSON object.');
  return value;
}
