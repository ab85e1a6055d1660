import type { LoadedAgents } from '../../definitions/load.js';
import type { TeamSettings } from '../../team/start/launch.js';
import { isOn } from '../knowledge/agentTypes.js';
import { skillsFor } from '../knowledge/skills.js';
import type { World } from '../services.js';

/** What agents and skills of an untrusted project would bring along and may not, a line for each file. */
export async function untrustedDefinitions(
  { home }: Pick<World, 'home'>,
  agents: Pick<LoadedAgents, 'warnings'>,
  {
    cwd,
    settings,
    environment,
  }: {
    readonly cwd: string;
    readonly settings: Pick<TeamSettings, 'trusted' | 'pluginDirs'>;
    readonly environment: Readonly<Record<string, string>>;
  },
): Promise<readonly string[]> {
  if (settings.trusted || isOn(environment, 'TROUPE_SIMPLE')) return [];
  const { warnings } = await skillsFor(home, cwd, settings);
  // What else is wrong with a definition is for `troupe agents check` and `troupe skills` to say.
  return [...agents.warnings, ...warnings].filter((line) => line.endsWith('trusted (troupe trust).'));
}
