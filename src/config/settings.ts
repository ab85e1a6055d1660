import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { Mode } from '../definitions/agentFields.js';
import { readDefinition } from '../definitions/files.js';
import { isRecord } from '../definitions/frontmatter.js';
import { HooksByEvent } from '../definitions/hook.js';
import { findProject } from '../definitions/projectFolders.js';
import { isWider, type PermissionMode } from '../permissions/mode.js';
import { hasCode, messageOf, UserError } from '../util/errors.js';
import { AutoModeKeys } from './autoModeSettings.js';
import { InstructionKeys } from './instructionSettings.js';
import { McpPolicyKeys } from './mcpPolicyKeys.js';
import { McpKeys } from './mcpSettings.js';
import type { Home } from './paths.js';
import { strayKeys } from './settingsKeys.js';
import { StatusLine } from './statusLineSettings.js';
import { WorktreeKeys } from './worktreeSettings.js';

const Rules = z.optional(z.array(z.string('must be text'), 'must be a list'));
const Count = z.optional(z.int('must be a whole number').check(z.nonnegative('must not be negative')));
const Switch = z.optional(z.literal('disable', 'must be "disable"'));
const EnvironmentValue = z.pipe(z.union([z.string(), z.number(), z.boolean()], 'must be text'), z.transform(String));

/** A list names what it is for, of which hooks and MCP servers are one thing here. */
const PluginsOnly = z.pipe(
  z.union([z.boolean(), z.array(z.string())], 'must be true, false or a list'),
  z.transform((value) => (Array.isArray(value) ? value.includes('hooks') || value.includes('mcp') : value)),
);

/** What the program itself reads; whatever else a file holds is kept. */
export const Settings = z.looseObject({
  model: z.optional(z.string('must be text')),
  permissions: z.optional(
    z.looseObject(
      {
        allow: Rules,
        ask: Rules,
        deny: Rules,
        /** Folders beside the working directory that its tools may use. */
        additionalDirectories: Rules,
        defaultMode: z.optional(Mode),
        /** Modes that nobody may be in, whoever asks for them. */
        disableBypassPermissionsMode: Switch,
        disableAutoMode: Switch,
      },
      'must be an object',
    ),
  ),
  /** Variables of every member's environment. */
  env: z.optional(z.record(z.string(), EnvironmentValue, 'must be an object')),
  /** Seconds that a permission request waits for an answer. */
  permissionTimeout: z.optional(z.number('must be a number of seconds').check(z.nonnegative('must not be negative'))),
  worktree: z.optional(WorktreeKeys),
  ...InstructionKeys,
  ...McpKeys,
  ...McpPolicyKeys,
  autoMode: z.optional(AutoModeKeys),
  /** Whether events of what agents do are kept, without what they are about. */
  telemetry: z.optional(z.boolean('must be true or false')),
  /** Whether a lead's memory of the project is made from what was said in its sessions. */
  autoDream: z.optional(z.boolean('must be true or false')),
  hooks: z.optional(HooksByEvent),
  /** Of a manager: no hooks at all. Of anybody else: only the manager's. */
  disableAllHooks: z.optional(z.boolean('must be true or false')),
  /** Present: no http hook asks another address. `*` stands for anything. */
  allowedHttpHookUrls: Rules,
  /** Present: no http hook's headers name another variable. */
  httpHookAllowedEnvVars: Rules,
  /** Of a manager: nobody else's hooks count, and nobody else's rules allow anything. */
  allowManagedHooksOnly: z.optional(z.boolean('must be true or false')),
  allowManagedPermissionRulesOnly: z.optional(z.boolean('must be true or false')),
  /** Hooks and MCP servers come from plugins and managed definitions alone. */
  strictPluginOnlyCustomization: z.optional(PluginsOnly),
  statusLine: z.optional(StatusLine),
  /** Days after which `troupe gc` removes archived teams and sessions. */
  cleanupPeriodDays: Count,
  /** How many sub-agents a session may have: below each other, at once, and in all. */
  agentLimits: z.optional(z.looseObject({ depth: Count, concurrent: Count, perSession: Count }, 'must be an object')),
});
export type Settings = z.infer<typeof Settings>;

/** The modes that settings of any level switch off. */
export function disabledModes({ permissions }: Settings): PermissionMode[] {
  return [
    ...(permissions?.disableBypassPermissionsMode ? (['bypassPermissions'] as const) : []),
    ...(permissions?.disableAutoMode ? (['auto'] as const) : []),
  ];
}

export interface SettingsSource {
  readonly source: 'managed' | 'flag' | 'local' | 'project' | 'user' | 'troupe';
  /** A path, or `--settings`. */
  readonly file: string;
  /** Where a rule's `/path` begins. */
  readonly anchor: string;
  readonly settings: Settings;
}

export interface LoadedSettings {
  /** All sources as one: the strongest wins, lists are joined. */
  readonly settings: Settings;
  /** Those that exist, the strongest first, each without what it may not say. */
  readonly sources: readonly SettingsSource[];
  /** Where settings may be, whether there are any or not. Absolute. */
  readonly files: readonly string[];
  /** What was left out for want of trust: a line for each file. */
  readonly notices: readonly string[];
}

export interface SettingsPlaces {
  /** Absolute. */
  readonly cwd: string;
  readonly userHome: string;
  readonly home: Home;
  /** `--settings`: a file, or JSON. */
  readonly flag?: string | undefined;
  readonly trusted: boolean;
  /** The folder of what an administrator decides for everybody. */
  readonly managed?: string | undefined;
}

/**
 * managed > flag > `.claude/settings.local.json` > `.claude/settings.json` (both of the repository's root) > `~/.claude/settings.json`
 * > `$TROUPE_HOME/settings.json`. In a linked worktree the main checkout's local file holds too, for git does not carry it over.
 * @throws UserError that names file and key.
 */
export async function loadSettings({
  cwd,
  userHome,
  home,
  flag,
  trusted,
  managed,
}: SettingsPlaces): Promise<LoadedSettings> {
  const { root, mainRoot } = await findProject(cwd);
  const ofUser = {
    source: 'user',
    file: join(userHome, '.claude', 'settings.json'),
    anchor: join(userHome, '.claude'),
  } as const;
  const ofProject = [...new Set([root, mainRoot])].map(
    (anchor) => ({ source: 'local', file: join(anchor, '.claude', 'settings.local.json'), anchor }) as const,
  );
  const places = [
    ...ofProject,
    { source: 'project', file: join(root, '.claude', 'settings.json'), anchor: root } as const,
    ofUser,
    { source: 'troupe', file: home.settings, anchor: home.root } as const,
  ].filter(({ source, file }) => source === 'user' || file !== ofUser.file);

  const sources: SettingsSource[] = [];
  const notices: string[] = [];
  if (managed !== undefined) sources.push(...(await settingsOfManager(managed)));
  if (flag !== undefined) sources.push(await settingsOfFlag(flag, cwd));
  for (const place of places) {
    const raw = await readSettings(place.file, place.source !== 'troupe');
    if (raw === undefined) continue;
    const isProjects = place.source === 'local' || place.source === 'project';
    const { settings, left } = isProjects && !trusted ? withoutPowers(raw) : { settings: raw, left: [] };
    if (left.length > 0)
      notices.push(`${place.file}: ${left.join(', ')} do not count until the folder is trusted (troupe trust).`);
    sources.push({ ...place, settings });
  }
  const settings = Settings.parse(
    sources.reduceRight<Record<string, unknown>>((weaker, source) => merged(weaker, source.settings), {}),
  );
  const given = flag === undefined || isJson(flag) ? [] : [resolve(cwd, flag)];
  const files = [...(managed === undefined ? [] : [managedFile(managed)]), ...given, ...places.map(({ file }) => file)];
  return { settings, sources, files, notices };
}

const managedFile = (folder: string) => join(folder, 'managed-settings.json');
/** Whether `--settings` was given its settings, and not a file's name. */
export const isJson = (flag: string) => flag.trimStart().startsWith('{');

async function settingsOfManager(folder: string): Promise<SettingsSource[]> {
  const file = managedFile(folder);
  const settings = await readSettings(file, true);
  return settings === undefined ? [] : [{ source: 'managed', file, anchor: folder, settings }];
}

async function settingsOfFlag(flag: string, cwd: string): Promise<SettingsSource> {
  if (isJson(flag))
    return { source: 'flag', file: '--settings', anchor: cwd, settings: parseSettings(flag, '--settings', false) };
  const file = resolve(cwd, flag);
  const settings = await readSettings(file, false);
  if (settings === undefined) throw new UserError(`--settings: there is no file ${file}.`);
  return { source: 'flag', file, anchor: dirname(file), settings };
}

/** @param isShared whether other programs read the file too. */
async function readSettings(file: string, isShared: boolean): Promise<Settings | undefined> {
  let text: string;
  try {
    // One that comes with a project may be a link to anything.
    text = await (isShared ? readDefinition(file) : readFile(file, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`, undefined, { cause: error });
  }
  return parseSettings(text, file, isShared);
}

function parseSettings(text: string, file: string, isShared: boolean): Settings {
  let raw: unknown;
  try {
    raw = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UserError(`${file} is not JSON: ${messageOf(error)}`, undefined, { cause: error });
  }
  if (!isRecord(raw)) throw new UserError(`${file} must hold one JSON object.`);
  const parsed = Settings.safeParse(raw);
  const issues = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `"${path.join('.')}" ${message}.`);
  const problems = [...issues, ...strayKeys(raw, Object.keys(Settings.shape), isShared)];
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new UserError(problems.map((problem) => `${file}: ${problem}`).join('\n'));
}

/** What a project may not say until its folder is trusted. Deny and ask rules hold. */
function withoutPowers(settings: Settings): { settings: Settings; left: string[] } {
  const { permissions, ...rest } = settings;
  const { allow, additionalDirectories, defaultMode, ...narrowing } = permissions ?? {};
  const left: string[] = [];
  if (allow?.length) left.push('permissions.allow');
  if (additionalDirectories?.length) left.push('permissions.additionalDirectories');
  const widens = defaultMode !== undefined && isWider(defaultMode, 'default');
  if (widens) left.push('permissions.defaultMode');
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (isPower(key, value)) left.push(key);
    else kept[key] = value;
  }
  return {
    settings: Settings.parse({
      ...kept,
      ...(permissions && { permissions: { ...narrowing, ...(!widens && { defaultMode }) } }),
    }),
    left,
  };
}

/** Keys that set variables, run programs, lift limits, delete, or speak to the classifier of mode auto. */
const POWERS = new Set([
  ...['env', 'hooks', 'disableAllHooks', 'statusLine', 'mcpServers', 'apiKeyHelper', 'autoMode', 'agentLimits'],
  ...['allowedMcpServers', 'allowedHttpHookUrls', 'httpHookAllowedEnvVars'],
  ...['enableAllProjectMcpServers', 'enabledMcpjsonServers', 'cleanupPeriodDays', 'telemetry', 'autoDream'],
]);

const isPower = (key: string, value: unknown) =>
  POWERS.has(key) || (key === 'strictPluginOnlyCustomization' && value === false);

/** `stronger` over `weaker`: objects key by key, lists joined, anything else replaced. */
function merged(
  weaker: Readonly<Record<string, unknown>>,
  stronger: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    const below = weaker[key];
    if (isRecord(below) && isRecord(value)) result[key] = merged(below, value);
    else if (Array.isArray(below) && Array.isArray(value)) result[key] = [...new Set([...value, ...below])];
    else if (value !== undefined) result[key] = value;
  }
  return result;
}
