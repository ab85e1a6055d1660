import { basename, resolve } from 'node:path';
import { currentFolder, userHome, variable } from '../../config/env.js';
import { instructionKeysOf } from '../../config/instructionSettings.js';
import { managedFolder } from '../../config/paths.js';
import { disabledModes, type LoadedSettings, loadSettings } from '../../config/settings.js';
import { openTrust } from '../../config/trust.js';
import { requireAgent } from '../../definitions/load.js';
import { resolveModel } from '../../model/catalogue.js';
import { useOwnModels } from '../../model/userModels.js';
import { PermissionMode } from '../../permissions/mode.js';
import { checkNewMemberName, checkTeamName, LEAD, nextColor } from '../../team/member.js';
import type { TeamSettings } from '../../team/start/launch.js';
import type { MemberRequest } from '../../team/start/slot.js';
import { type Expanded, expandTemplate, findTemplate, loadTemplate, plain } from '../../team/template/template.js';
import { UserError } from '../../util/errors.js';
import { foldName } from '../../util/names.js';
import { teamHooks } from '../hooks/teamHooks.js';
import { agentsFor } from '../knowledge/agentTypes.js';
import { instructionsAt } from '../knowledge/instructions.js';
import { commandLineServers, requireMembersServers, teamServers } from '../mcp/teamServers.js';
import { liveFrom } from '../permissions/liveSettings.js';
import { rulesIn } from '../permissions/settingsRules.js';
import type { World } from '../services.js';
import { requestLimit } from '../session/requestLimit.js';
import { statusLineIn } from '../statusLine/setting.js';
import { requireCredentials } from './credentials.js';
import { resolveMember } from './memberRequest.js';
import { freeTeamName } from './teamName.js';
import { untrustedDefinitions } from './untrusted.js';

/** What `up` and `run` were asked for. */
export interface TeamWish {
  /** The words behind the command: a template's name first, where there is one of that name. */
  readonly words: readonly string[];
  readonly template?: string | undefined;
  /** Where the team works; this process's folder unless given. Absolute. */
  readonly cwd?: string | undefined;
  readonly set: Readonly<Record<string, string>>;
  readonly name?: string | undefined;
  readonly model?: string | undefined;
  readonly fallbackModel?: string | undefined;
  readonly effort?: TeamSettings['effort'];
  readonly permissionMode?: PermissionMode | undefined;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly settings?: string | undefined;
  /** `--agents`, parsed. */
  readonly agents?: Readonly<Record<string, unknown>> | undefined;
  /** `--plugin-dir`. */
  readonly pluginDirs?: readonly string[] | undefined;
  /** `--mcp-config`: servers by name. */
  readonly mcpServers?: Readonly<Record<string, unknown>> | undefined;
  readonly systemPrompt?: string | undefined;
  readonly appendSystemPrompt?: string | undefined;
  readonly worktrees: boolean;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly trust: boolean;
  readonly requestId?: string | undefined;
  readonly layout?: 'panes' | 'windows' | undefined;
  readonly replace: boolean;
}

/** A team as it would start. Making it has touched nothing. */
export interface TeamPlan {
  readonly name: string;
  readonly cwd: string;
  readonly expanded: Expanded;
  readonly settings: TeamSettings;
  readonly environment: Readonly<Record<string, string>>;
  readonly lead: MemberRequest;
  readonly members: readonly MemberRequest[];
  readonly layout: 'panes' | 'windows';
  /** One line each, for the person. */
  readonly notices: readonly string[];
  /** What was left out because the folder is not trusted: a line for each file. */
  readonly untrusted: readonly string[];
  /** Whether a dead team of that name is archived first. */
  readonly replaces: boolean;
}

const DEFAULT_MODEL = 'sonnet';
/** Until a permission that nobody answers is denied. */
export const PERMISSION_TIMEOUT_S = 600;

/** @throws UserError for everything that is wrong with the wish. */
export async function planTeam(world: World, wish: TeamWish, command: 'up' | 'run'): Promise<TeamPlan> {
  const { home } = world;
  const cwd = wish.cwd ?? currentFolder();
  const trusted = wish.trust || (await openTrust(home).isTrusted(cwd));
  await useOwnModels(home.models);
  const loaded = await loadSettings({
    cwd,
    userHome: userHome(),
    home,
    flag: wish.settings,
    trusted,
    managed: managedFolder(),
  });
  const environment = { ...world.environment(), ...loaded.settings.env };
  requestLimit(environment);
  requireCredentials(environment);
  const expanded = await expand(world, wish, cwd, trusted);
  const given = await settingsOf(wish, loaded, expanded, { cwd, trusted, interactive: command === 'up' });
  const { hooks, notices: hookNotices } = await teamHooks(world, loaded, { cwd, settings: given });
  const settings: TeamSettings = {
    ...given,
    ...(hooks && { hooks }),
    ...commandLineServers(wish.mcpServers, loaded),
  };
  const servers = await teamServers(world, loaded, { cwd, settings, environment });
  const agents = await agentsFor(world, { cwd, settings, environment });
  const context = { agents, settings, cwd, environment: { ...environment, ...expanded.env } };
  const members = expanded.members.map((member) =>
    resolveMember(
      {
        ...member,
        mode: member.permissionMode,
        worktree: member.worktree || wish.worktrees || undefined,
        promptFrom: LEAD,
      },
      context,
    ),
  );
  for (const { name, agentType } of members) {
    checkNewMemberName(name);
    await requireMembersServers(world, requireAgent(agents, agentType), { cwd, settings, environment, loaded });
  }
  refuseTwins(members);
  const [leadColor, ...colors] = colorsFor([undefined, ...members.map(({ color }) => color)]);
  const fallbackName = command === 'run' ? `run-${world.ids.hex(8)}` : (expanded.template ?? basename(cwd));
  const { name, replaces } = await freeTeamName(
    home,
    wish.name === undefined ? undefined : checkTeamName(wish.name),
    fallbackName,
    wish.replace,
  );
  const lead: MemberRequest = {
    ...(expanded.lead.agent
      ? resolveMember({ name: LEAD, agent: expanded.lead.agent }, context)
      : { name: LEAD, agentType: LEAD }),
    name: LEAD,
    role: 'lead',
    color: leadColor,
    model: settings.model,
    mode: settings.leadMode,
    cwd,
    worktree: false,
    ...(expanded.leadPrompt.trim() !== '' && { prompt: expanded.leadPrompt }),
    promptFrom: 'user',
    requestId: wish.requestId,
  };
  return {
    name,
    cwd,
    expanded,
    settings,
    environment: context.environment,
    lead,
    members: members.map((member, index) => ({ ...member, color: colors[index] })),
    layout: wish.layout ?? expanded.layout ?? 'panes',
    notices: [
      ...warnings(settings),
      ...hookNotices,
      ...servers.problems,
      ...(await instructionsAt(cwd, settings).problems()),
    ],
    untrusted: [
      ...loaded.notices,
      ...expanded.notices,
      ...servers.untrusted,
      ...(await untrustedDefinitions(world, agents, { cwd, settings, environment })),
    ],
    replaces,
  };
}

/** `--template` outright; else the first word where a template has that name; else a team without one. */
async function expand(
  { home, shippedTemplates }: World,
  { words, template, set }: TeamWish,
  cwd: string,
  trusted: boolean,
): Promise<Expanded> {
  const places = { cwd, home, shipped: shippedTemplates };
  const [first = '', ...rest] = words;
  const named = template === undefined && first !== '' ? await findTemplate(first, places) : undefined;
  const chosen = template === undefined ? named : await loadTemplate(template, places);
  const prompt = (named ? rest : words).join(' ').trim();
  if (chosen) return expandTemplate(chosen, { prompt, set, trusted });
  if (Object.keys(set).length > 0)
    throw new UserError('--set fills in the variables of a template, and none was named. See troupe templates');
  return plain(prompt);
}

async function settingsOf(
  wish: TeamWish,
  loaded: LoadedSettings,
  expanded: Expanded,
  { cwd, trusted, interactive }: { cwd: string; trusted: boolean; interactive: boolean },
): Promise<TeamSettings> {
  const { settings } = loaded;
  const { permissions = {} } = settings;
  const model = resolveModel(
    wish.model ?? expanded.lead.model ?? settings.model ?? variable('ANTHROPIC_MODEL') ?? DEFAULT_MODEL,
  );
  const leadMode = wish.permissionMode ?? expanded.lead.permissionMode ?? permissions.defaultMode ?? 'default';
  const disabled = disabledModes(settings);
  const first = { allow: [...wish.allowedTools], deny: [...wish.disallowedTools] };
  const last = { allow: [...expanded.permissions.allow], deny: [...expanded.permissions.deny] };
  const maxTurns = wish.maxTurns ?? expanded.limits.turns;
  const maxBudgetUsd = wish.maxBudgetUsd ?? expanded.limits.usd;
  return {
    model,
    ...(wish.fallbackModel && { fallbackModel: resolveModel(wish.fallbackModel) }),
    ...(wish.effort && { effort: wish.effort }),
    leadMode: allowedMode(PermissionMode.parse(leadMode), disabled),
    ...(disabled.length > 0 && { disabledModes: disabled }),
    ...rulesIn(loaded, { first, last }, cwd),
    live: await liveFrom(loaded, { cwd, first, last }),
    ...(wish.agents && { agents: { ...wish.agents } }),
    ...(wish.systemPrompt !== undefined && { systemPrompt: wish.systemPrompt }),
    ...(wish.appendSystemPrompt !== undefined && { appendSystemPrompt: wish.appendSystemPrompt }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    permissionTimeoutMs: interactive ? (settings.permissionTimeout ?? PERMISSION_TIMEOUT_S) * 1000 : 0,
    ...(Object.keys(expanded.env).length > 0 && { templateEnv: { ...expanded.env } }),
    trusted,
    ...(settings.agentLimits && { agentLimits: settings.agentLimits }),
    ...(settings.worktree && { worktree: settings.worktree }),
    ...(settings.autoMode && { autoMode: settings.autoMode }),
    ...statusLineIn(loaded),
    ...(settings.telemetry && { telemetry: true }),
    ...(settings.autoDream && { autoDream: true }),
    ...instructionKeysOf(settings),
    ...(wish.pluginDirs?.length && { pluginDirs: wish.pluginDirs.map((folder) => resolve(cwd, folder)) }),
    ...(settings.strictPluginOnlyCustomization && { strictPluginOnlyCustomization: true }),
    interactive,
  };
}

function allowedMode(mode: PermissionMode, disabled: readonly PermissionMode[]): PermissionMode {
  if (disabled.includes(mode))
    throw new UserError(`Mode ${mode} is switched off in the settings (permissions.disable…Mode): choose another one.`);
  return mode;
}

/** Given ones stay; the others take turns, in the order of the roster and not in that in which processes are ready. */
function colorsFor(given: readonly (string | undefined)[]): string[] {
  const used = given.filter((color) => color !== undefined);
  return given.map((color) => {
    const chosen = color ?? nextColor(used);
    if (color === undefined) used.push(chosen);
    return chosen;
  });
}

function refuseTwins(members: readonly MemberRequest[]): void {
  const seen = new Set<string>();
  for (const { name } of members) {
    if (seen.has(foldName(name))) throw new UserError(`Two members are called "${name}": give each its own name.`);
    seen.add(foldName(name));
  }
}

function warnings({ leadMode }: TeamSettings): string[] {
  return leadMode === 'bypassPermissions'
    ? ['Warning: in mode bypassPermissions nobody is asked before anything is run or changed.']
    : [];
}
