import { dirname, join } from 'node:path';
import { UserError } from '../util/errors.js';
import { didYouMean } from '../util/text.js';
import { type AgentDefinition, type AgentSource, agentFrom, type ParsedAgent, parseAgentFile } from './agent.js';
import { explore } from './builtin/explore.js';
import { generalPurpose } from './builtin/generalPurpose.js';
import { plan } from './builtin/plan.js';
import { markdownFiles, readDefinition, type SkippedFile, skippedBecause } from './files.js';
import { FileProblem, isRecord } from './frontmatter.js';
import { findProject } from './projectFolders.js';

const BUILT_IN: readonly AgentDefinition[] = [generalPurpose, explore, plan];

export interface AgentPlaces {
  /** Absolute. */
  readonly cwd: string;
  readonly userHome: string;
  /** Whether the project's folder is trusted: without that, hooks and inline MCP servers of files are left out. */
  readonly trusted: boolean;
  /** `--agents`: definitions by name. */
  readonly flag?: Readonly<Record<string, unknown>> | undefined;
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

/**
 * All agents that can be used in `cwd`: built-in < user < project (the nearest folder wins) < flag.
 * A file that cannot be an agent is skipped and listed. @throws UserError for what is wrong in `flag`.
 */
export async function loadAgents({ cwd, userHome, trusted, flag = {} }: AgentPlaces): Promise<LoadedAgents> {
  const skipped: SkippedFile[] = [];
  const warnings: string[] = [];
  const overridden: OverriddenAgent[] = [];
  const agents = new Map<string, AgentDefinition>();

  // From the strongest to the weakest: a name that is taken keeps its agent.
  const add = (agent: AgentDefinition) => {
    const winner = agents.get(agent.agentType);
    if (!winner) agents.set(agent.agentType, agent);
    else
      overridden.push({
        agentType: agent.agentType,
        source: agent.source,
        ...(agent.filename && { file: agent.filename }),
        by: winner.filename ?? winner.source,
      });
  };
  const addParsed = (parsed: ParsedAgent) => {
    warnings.push(...parsed.warnings);
    add(parsed.agent);
  };

  for (const parsed of agentsOfFlag(flag)) addParsed(parsed);
  for (const { folder, source } of await foldersOf(cwd, userHome)) {
    for (const file of await markdownFiles(folder)) {
      const parsed = await loadFile(file, source);
      if ('reason' in parsed) skipped.push(parsed);
      else addParsed(trusted ? parsed : withoutPowers(parsed, folder));
    }
  }
  for (const agent of BUILT_IN) add(agent);
  return { agents, skipped, overridden, warnings };
}

/** @throws UserError that names the nearest and all that there are. */
export function requireAgent({ agents }: Pick<LoadedAgents, 'agents'>, name: string): AgentDefinition {
  const agent = agents.get(name);
  if (agent) return agent;
  const known = [...agents.keys()].sort();
  throw new UserError(`Unknown agent type "${name}".${didYouMean(name, known)} Known: ${known.join(', ')}`);
}

async function loadFile(file: string, source: AgentSource): Promise<ParsedAgent | SkippedFile> {
  try {
    const { agent, warnings } = await parseAgentFile(await readDefinition(file), file, source);
    return { agent: { ...agent, baseDir: dirname(file) }, warnings };
  } catch (error) {
    return skippedBecause(file, error);
  }
}

async function foldersOf(cwd: string, userHome: string): Promise<{ folder: string; source: AgentSource }[]> {
  const ofUser = join(userHome, '.claude', 'agents');
  const ofProject = (await findProject(cwd)).folders
    .map((folder) => join(folder, '.claude', 'agents'))
    .filter((folder) => folder !== ofUser);
  return [
    ...ofProject.map((folder) => ({ folder, source: 'project' as const })),
    { folder: ofUser, source: 'user' as const },
  ];
}

function* agentsOfFlag(flag: Readonly<Record<string, unknown>>): Generator<ParsedAgent> {
  for (const [name, value] of Object.entries(flag)) {
    if (!isRecord(value)) throw new UserError(`--agents: "${name}" must be an object with "description" and "prompt".`);
    const { prompt } = value;
    if (typeof prompt !== 'string' || prompt.trim() === '') throw new UserError(`--agents: "${name}" has no "prompt".`);
    try {
      yield agentFrom({
        data: { ...value, name },
        prompt: prompt.trim(),
        file: '--agents',
        source: 'flag',
        lineOf: () => 1,
      });
    } catch (error) {
      if (error instanceof FileProblem) throw new UserError(`--agents: "${name}": ${error.reason}`);
      throw error;
    }
  }
}

/** What a definition may not bring along from a folder that is not trusted; the agent itself still runs. */
function withoutPowers({ agent, warnings }: ParsedAgent, folder: string): ParsedAgent {
  const { hooks, mcpServers, ...rest } = agent;
  const inline = mcpServers?.some((server) => typeof server !== 'string');
  if (hooks === undefined && !inline) return { agent, warnings };
  const left = [hooks && 'hooks', inline && 'inline MCP servers'].filter(Boolean).join(' and ');
  return {
    agent: { ...rest, ...(mcpServers && { mcpServers: mcpServers.filter((server) => typeof server === 'string') }) },
    warnings: [
      ...warnings,
      `${agent.filename ?? folder}: its ${left} do not count until the project is trusted (troupe trust).`,
    ],
  };
}
