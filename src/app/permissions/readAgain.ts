import { userHome } from '../../config/env.js';
import { managedFolder } from '../../config/paths.js';
import { disabledModes, loadSettings } from '../../config/settings.js';
import type { TeamSettings } from '../../team/start/launch.js';
import { teamHooks } from '../hooks/teamHooks.js';
import type { World } from '../services.js';
import { statusLineIn } from '../statusLine/setting.js';
import { rulesIn } from './settingsRules.js';

/** A team's settings with what their files say now. @throws UserError for a file that is broken. */
export async function readAgain(
  world: Pick<World, 'home'>,
  before: TeamSettings,
  { cwd, flag, first, last }: NonNullable<TeamSettings['live']>,
): Promise<TeamSettings> {
  const { hooks: _, autoMode: __, disabledModes: ___, onlyManagedRules: ____, statusLine: _____, ...rest } = before;
  const loaded = await loadSettings({
    cwd,
    userHome: userHome(),
    home: world.home,
    flag,
    trusted: before.trusted,
    managed: managedFolder(),
  });
  const settings = { ...rest, ...rulesIn(loaded, { first, last }, cwd) };
  const { hooks } = await teamHooks(world, loaded, { cwd, settings });
  const { autoMode } = loaded.settings;
  const disabled = disabledModes(loaded.settings);
  return {
    ...settings,
    ...(hooks && { hooks }),
    ...(autoMode && { autoMode }),
    ...statusLineIn(loaded),
    ...(disabled.length > 0 && { disabledModes: disabled }),
  };
}
