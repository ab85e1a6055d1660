import { join } from 'node:path';
import type { LoadedSettings, SettingsSource } from '../../config/settings.js';
import { readDefinition } from '../../definitions/files.js';
import { HooksByEvent, hookNotices } from '../../definitions/hook.js';
import { pluginsOf } from '../../definitions/plugin.js';
import { findProject } from '../../definitions/projectFolders.js';
import type { TeamHooks, TeamSettings } from '../../team/start/launch.js';
import { hasCode, messageOf } from '../../util/errors.js';
import type { World } from '../services.js';

interface FoundHooks {
  readonly file: string;
  readonly pluginRoot?: string;
  readonly events: HooksByEvent;
}

/**
 * The hooks of all settings and plugins, the strongest settings first; and a line for each that is left out.
 * @throws UserError for a `--plugin-dir` that is none.
 */
export async function teamHooks(
  { home }: Pick<World, 'home'>,
  { sources, settings: all }: Pick<LoadedSettings, 'sources' | 'settings'>,
  { cwd, settings }: { readonly cwd: string; readonly settings: TeamSettings },
): Promise<{ readonly hooks: TeamHooks | undefined; readonly notices: readonly string[] }> {
  const { root } = await findProject(cwd);
  const { allowedHttpHookUrls: urls, httpHookAllowedEnvVars: variables } = all;
  const common = { projectDir: root, ...(urls && { urls }), ...(variables && { variables }) };
  const offBy = sources.filter((source) => source.settings.disableAllHooks === true);
  if (offBy.some(isManaged)) return { hooks: { ...common, sources: [], withoutAgents: true }, notices: [] };
  const ofManager = sources.filter(isManaged).flatMap(hooksOf);
  if (offBy.length > 0)
    return { hooks: { ...common, sources: ofManager, withoutAgents: true }, notices: ofManager.flatMap(hookNotices) };
  if (sources.some((source) => isManaged(source) && source.settings.allowManagedHooksOnly === true)) {
    const others = sources.filter((source) => !isManaged(source)).flatMap(hooksOf);
    const left = others.map(
      ({ file }) => `${file}: its hooks do not count: only an administrator's do (allowManagedHooksOnly).`,
    );
    const notices = [...left, ...ofManager.flatMap(hookNotices)];
    return { hooks: { ...common, sources: ofManager, withoutAgents: true }, notices };
  }

  const notices: string[] = [];
  const ofPlugins: FoundHooks[] = [];
  for (const { path } of await pluginsOf(settings.pluginDirs ?? [], home.plugins)) {
    const read = await readPluginHooks(path);
    if (typeof read === 'string') notices.push(read);
    else if (read) ofPlugins.push(read);
  }
  const others = sources.filter((source) => !isManaged(source)).flatMap(hooksOf);
  const left = settings.strictPluginOnlyCustomization ? others : [];
  notices.push(
    ...left.map(
      ({ file }) => `${file}: its hooks do not count: only plugins may bring them (strictPluginOnlyCustomization).`,
    ),
  );
  const counted = [...ofManager, ...(left.length > 0 ? [] : others), ...ofPlugins];
  return {
    hooks: counted.length === 0 && !urls && !variables ? undefined : { ...common, sources: counted },
    notices: [...notices, ...counted.flatMap(hookNotices)],
  };
}

const isManaged = ({ source }: SettingsSource) => source === 'managed';

function hooksOf({ file, settings }: SettingsSource): FoundHooks[] {
  return settings.hooks && Object.keys(settings.hooks).length > 0 ? [{ file, events: settings.hooks }] : [];
}

/** Nothing where it has none, or why they cannot be used: a plugin that is broken stops no team. */
async function readPluginHooks(pluginRoot: string): Promise<FoundHooks | string | undefined> {
  const file = join(pluginRoot, 'hooks', 'hooks.json');
  try {
    const text = await readDefinition(file);
    const read: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    const inner = typeof read === 'object' && read !== null && 'hooks' in read ? read.hooks : read;
    const parsed = HooksByEvent.safeParse(inner);
    if (parsed.success) return { file, pluginRoot, events: parsed.data };
    const [issue] = parsed.error.issues;
    return `${file}: "${['hooks', ...(issue?.path ?? [])].join('.')}" ${issue?.message}; its hooks are left out.`;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    return `${file}: its hooks are left out: ${messageOf(error)}`;
  }
}
