import { dirname, join } from 'node:path';
import { userHome } from '../../config/env.js';
import { managedFolder } from '../../config/paths.js';
import { loadSettings } from '../../config/settings.js';
import type { AgentSwitches } from '../../definitions/builtin/all.js';
import type { GuideFacts } from '../../definitions/builtin/troupeGuide.js';
import { type LoadedAgents, loadAgents } from '../../definitions/load.js';
import type { TeamSettings } from '../../team/start/launch.js';
import type { World } from '../services.js';
import { skillsFor } from './skills.js';

type Sources = Pick<
  TeamSettings,
  'trusted' | 'interactive' | 'agents' | 'pluginDirs' | 'strictPluginOnlyCustomization' | 'mcpServers'
>;

/** The agents that there are for whoever works in `cwd`: from every source, and as the environment switches them. */
export async function agentsFor(
  world: Pick<World, 'home' | 'shippedTemplates'>,
  {
    cwd,
    settings,
    environment,
  }: { readonly cwd: string; readonly settings: Sources; readonly environment: Readonly<Record<string, string>> },
): Promise<LoadedAgents> {
  return loadAgents({
    cwd,
    userHome: userHome(),
    trusted: settings.trusted,
    pluginsOnly: settings.strictPluginOnlyCustomization,
    flag: settings.agents,
    managed: managedFolder(),
    pluginDirs: settings.pluginDirs,
    plugins: world.home.plugins,
    switches: switchesOf(environment, settings.interactive),
    ...(settings.interactive && { guide: await guideFacts(world, cwd, settings) }),
  });
}

/** Whether a switch is on: set, and not to a word that says no. */
export function isOn(environment: Readonly<Record<string, string>>, name: string): boolean {
  return !/^(0|false|no|off)?$/i.test(environment[name] ?? '');
}

function switchesOf(environment: Readonly<Record<string, string>>, interactive: boolean): AgentSwitches {
  const on = (name: string) => isOn(environment, name);
  return {
    simple: on('TROUPE_SIMPLE'),
    // Whoever runs without a person may bring all agents along.
    withoutBuiltIns: on('TROUPE_DISABLE_BUILTIN_AGENTS') && !interactive,
    withoutExploreAndPlan: on('TROUPE_DISABLE_EXPLORE_PLAN_AGENTS'),
    coordinator: on('TROUPE_COORDINATOR_MODE'),
  };
}

async function guideFacts(
  { home, shippedTemplates }: Pick<World, 'home' | 'shippedTemplates'>,
  cwd: string,
  { trusted, pluginDirs = [], strictPluginOnlyCustomization: pluginsOnly = false, mcpServers: flag }: Sources,
): Promise<Omit<GuideFacts, 'agents'>> {
  const loaded = await loadSettings({ cwd, userHome: userHome(), home, trusted, managed: managedFolder() });
  const [{ loadServers }, { pluginsOf }] = await Promise.all([
    import('../../config/mcpSources.js'),
    import('../../definitions/plugin.js'),
  ]);
  const plugins = await pluginsOf(pluginDirs, home.plugins);
  const places = { cwd, userHome: userHome(), trusted, pluginsOnly, flag, settings: loaded, plugins };
  const root = dirname(shippedTemplates);
  return {
    documentation: [join(root, 'README.md'), join(root, 'docs'), join(root, 'CHANGELOG.md'), shippedTemplates],
    skills: [...(await skillsFor(home, cwd, { trusted })).skills.keys()],
    mcpServers: (await loadServers(places)).servers.map(({ name }) => name),
    settings: loaded.sources.flatMap(({ file, settings }) => Object.keys(settings).map((key) => `${key} (${file})`)),
  };
}
