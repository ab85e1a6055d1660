import { readFile, rm } from 'node:fs/promises';
import * as z from 'zod/mini';
import { WorktreeKeys } from '../config/worktreeSettings.js';
import { PermissionMode } from '../permissions/mode.js';
import { writeAtomic } from '../store/atomicFile.js';
import { parseJson, toJson } from '../store/jsonFile.js';
import { hasCode, UserError } from '../util/errors.js';

/** What holds for every member of a team, as `up`, `run` or `add` was told. */
export const TeamSettings = z.object({
  /** `--model`, for members that nothing else gives one. Always concrete. */
  model: z.string(),
  fallbackModel: z.optional(z.string()),
  effort: z.optional(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
  /** The lead's mode: no member's is wider. */
  leadMode: PermissionMode,
  allow: z.array(z.string()),
  ask: z.array(z.string()),
  deny: z.array(z.string()),
  folders: z.array(z.string()),
  /** Definitions from `--agents`. */
  agents: z.optional(z.record(z.string(), z.unknown())),
  systemPrompt: z.optional(z.string()),
  appendSystemPrompt: z.optional(z.string()),
  maxTurns: z.optional(z.number()),
  maxBudgetUsd: z.optional(z.number()),
  /** Milliseconds until a permission that nobody answered is denied; 0 where there is nobody to ask. */
  permissionTimeoutMs: z.number(),
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
  /** Folders of `--plugin-dir`, absolute. */
  pluginDirs: z.optional(z.array(z.string())),
  /** Hooks and MCP servers of user and project definitions do not count. */
  strictPluginOnlyCustomization: z.optional(z.boolean()),
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
  backend: z.enum(['tmux', 'in-process']),
  settings: TeamSettings,
});
export type Launch = z.infer<typeof Launch>;

export async function writeLaunch(path: string, launch: Launch): Promise<void> {
  await writeAtomic(path, toJson(launch));
}

/** Reads the launch file and removes it. @throws UserError when it is not there (any more) or broken. */
export async function takeLaunch(path: string): Promise<Launch> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT'))
      throw new UserError(
        `No launch file at ${path}: it is read once. Start members with "troupe add" or "troupe restart".`,
      );
    throw error;
  }
  await rm(path, { force: true });
  return parseJson(Launch, text, path);
}
