import { link, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { AutoModeKeys } from '../../config/autoModeSettings.js';
import { InstructionKeys } from '../../config/instructionSettings.js';
import { McpPolicy } from '../../config/mcpPolicyKeys.js';
import { StatusLine } from '../../config/statusLineSettings.js';
import { WorktreeKeys } from '../../config/worktreeSettings.js';
import { HookSource } from '../../definitions/hookSource.js';
import { systemIds } from '../../host/ids.js';
import { PermissionMode } from '../../permissions/mode.js';
import { writeAtomic } from '../../store/atomicFile.js';
import { parseJson, toJson } from '../../store/jsonFile.js';
import { ExitCode, hasCode, UserError } from '../../util/errors.js';

/** The hooks that hold for every agent of a team, wherever it works. */
export const TeamHooks = z.object({
  /** `CLAUDE_PROJECT_DIR`: the checkout that the team was started in. */
  projectDir: z.string(),
  sources: z.array(HookSource),
  /** Those that agents' definitions bring along do not count. */
  withoutAgents: z.optional(z.boolean()),
  /** What http hooks may ask, and which variables their headers may name; absent: anything. */
  urls: z.optional(z.array(z.string())),
  variables: z.optional(z.array(z.string())),
});
export type TeamHooks = z.infer<typeof TeamHooks>;

const GivenRules = z.object({ allow: z.array(z.string()), deny: z.array(z.string()) });

/** What holds for every member of a team, as `up`, `run` or `add` was told. */
export const TeamSettings = z.object({
  /** `--model`, for members that nothing else gives one. Always concrete. */
  model: z.string(),
  fallbackModel: z.optional(z.string()),
  effort: z.optional(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
  /** The lead's mode: no member's is wider. */
  leadMode: PermissionMode,
  /** Modes that the settings switch off for everybody. */
  disabledModes: z.optional(z.array(PermissionMode)),
  allow: z.array(z.string()),
  ask: z.array(z.string()),
  deny: z.array(z.string()),
  /** Nothing is allowed by rules but what an administrator's settings allow. */
  onlyManagedRules: z.optional(z.boolean()),
  folders: z.array(z.string()),
  /** Definitions from `--agents`. */
  agents: z.optional(z.record(z.string(), z.unknown())),
  systemPrompt: z.optional(z.string()),
  appendSystemPrompt: z.optional(z.string()),
  maxTurns: z.optional(z.number()),
  maxBudgetUsd: z.optional(z.number()),
  /** Milliseconds until a permission that nobody answered is denied; 0 where there is nobody to ask. */
  permissionTimeoutMs: z.number(),
  /** Variables of the template, for members that come later too. */
  templateEnv: z.optional(z.record(z.string(), z.string())),
  trusted: z.boolean(),
  /** How many sub-agents each session may have. */
  agentLimits: z.optional(
    z.object({
      depth: z.optional(z.number()),
      concurrent: z.optional(z.number()),
      perSession: z.optional(z.number()),
    }),
  ),
  /** How worktrees are made. */
  worktree: z.optional(WorktreeKeys),
  autoMode: z.optional(AutoModeKeys),
  statusLine: z.optional(StatusLine),
  telemetry: z.optional(z.boolean()),
  autoDream: z.optional(z.boolean()),
  ...InstructionKeys,
  /** Folders of `--plugin-dir`, absolute. */
  pluginDirs: z.optional(z.array(z.string())),
  /** Hooks and MCP servers of user and project definitions do not count. */
  strictPluginOnlyCustomization: z.optional(z.boolean()),
  hooks: z.optional(TeamHooks),
  /** How the files of the settings are read again while the team runs. Absent: never. */
  live: z.optional(
    z.object({
      cwd: z.string(),
      /** `--settings`: a path, or as JSON what is read again. */
      flag: z.optional(z.string()),
      files: z.array(z.string()),
      /** The files as they were when they were read. */
      seen: z.string(),
      /** Rules that do not come from files: before and behind those. */
      first: GivenRules,
      last: GivenRules,
    }),
  ),
  /** MCP servers of the command line by name, their variables not filled in. */
  mcpServers: z.optional(z.record(z.string(), z.unknown())),
  /** Which servers there may be, by the settings of the command line. */
  mcpPolicy: z.optional(McpPolicy),
  /** Whether a person sits at the lead. */
  interactive: z.boolean(),
});
export type TeamSettings = z.infer<typeof TeamSettings>;

/** All that a member's process needs to know before it reads anything else. Holds secrets; removed once read. */
export const Launch = z.object({
  argv: z.array(z.string()),
  cwd: z.string(),
  environment: z.record(z.string(), z.string()),
  home: z.string(),
  team: z.string(),
  member: z.string(),
  role: z.enum(['lead', 'teammate']),
  generation: z.number(),
  sessionId: z.string(),
  /** A restart: what its process before asked and was not told is its own. */
  continues: z.optional(z.boolean()),
  color: z.optional(z.string()),
  agentType: z.string(),
  /** In place of its definition's list. */
  tools: z.optional(z.array(z.string())),
  model: z.string(),
  mode: PermissionMode,
  /** The mode that an approved plan leads to, where a plan is required first. */
  modeAfterPlan: z.optional(PermissionMode),
  worktree: z.optional(
    z.object({ path: z.string(), branch: z.string(), base: z.string(), hookMade: z.optional(z.boolean()) }),
  ),
  backend: z.enum(['tmux', 'iterm2', 'in-process']),
  settings: TeamSettings,
});
export type Launch = z.infer<typeof Launch>;

export async function writeLaunch(path: string, launch: Launch): Promise<void> {
  await writeAtomic(path, toJson(launch));
}

/** Tells the launches of a member apart. */
export function launchIdOf({ member, team, generation }: Pick<Launch, 'member' | 'team' | 'generation'>): string {
  return `${member}@${team}:${generation}`;
}

/**
 * Takes the launch file away and reads it: of several processes that come for it one gets it. @throws UserError when it is
 * not there (any more) or broken, or when it is that of a later start than `launchId`, for whose process it stays.
 */
export async function takeLaunch(path: string, launchId?: string): Promise<Launch> {
  if (launchId !== undefined) refuseLater(await readLaunch(path, path), launchId);
  const taken = join(dirname(path), `${systemIds.hex(12)}.taken`);
  await found(path, () => rename(path, taken));
  try {
    const launch = await readLaunch(taken, path);
    // Between look and rename a later start may have put its own there.
    if (launchId !== undefined && launchId !== launchIdOf(launch)) await link(taken, path).catch(() => {});
    refuseLater(launch, launchId);
    return launch;
  } finally {
    // Also one that is broken: it may hold secrets.
    await rm(taken, { force: true });
  }
}

function refuseLater(launch: Launch, launchId: string | undefined): void {
  if (launchId === undefined || launchId === launchIdOf(launch)) return;
  throw new UserError(
    `"${launch.member}" of ${launch.team} was started anew before this process was ready.`,
    ExitCode.ok,
  );
}

/** @param path what an error names. */
async function readLaunch(from: string, path: string): Promise<Launch> {
  const text = await found(path, () => readFile(from, 'utf8'));
  try {
    return parseJson(Launch, text, path);
  } catch (error) {
    await rm(from, { force: true });
    throw error;
  }
}

async function found<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new UserError(
      `No launch file at ${path}: it is read once. Start members with "troupe add" or "troupe restart".`,
      ExitCode.usage,
      { cause: error },
    );
  }
}
