import { readFile, rm } from 'node:fs/promises';
import * as z from 'zod/mini';
import { userHome } from '../../config/env.js';
import { managedFolder, type TeamPaths } from '../../config/paths.js';
import { loadSettings } from '../../config/settings.js';
import { isUuid } from '../../host/ids.js';
import { writeAtomic } from '../../store/atomicFile.js';
import { parseJson, toJson } from '../../store/jsonFile.js';
import type { TeamSettings } from '../../team/start/launch.js';
import { ExitCode, hasCode, UserError } from '../../util/errors.js';
import type { World } from '../services.js';
import { requireCredentials } from './credentials.js';

export type Environment = Readonly<Record<string, string>>;

/**
 * The environment of a member that comes to a team later: that of whoever starts it, with the variables of the settings
 * and of the template over it. `cwd`: where the team was started. @throws UserError (exit 5) where it opens no model service.
 */
export async function laterEnvironment(
  world: Pick<World, 'home' | 'environment'>,
  { settings, cwd }: { readonly settings: TeamSettings; readonly cwd: string },
): Promise<Environment> {
  const { trusted, templateEnv } = settings;
  const loaded = await loadSettings({ cwd, userHome: userHome(), home: world.home, trusted, managed: managedFolder() });
  const environment = { ...world.environment(), ...loaded.settings.env, ...templateEnv };
  requireCredentials(environment);
  return environment;
}

const Sent = z.object({ environment: z.record(z.string(), z.string()) });

/** Lays an environment down for the process that starts what was asked for. It holds secrets: no message and no event does. */
export async function sendEnvironment(paths: TeamPaths, id: string, environment: Environment): Promise<void> {
  await writeAtomic(paths.startFile(id), toJson({ environment }));
}

/** Reads it and removes it. @throws UserError when it is not there. */
export async function takeEnvironment(paths: TeamPaths, id: string): Promise<Environment> {
  if (!isUuid(id)) throw new UserError(`A request to start a member has the id ${JSON.stringify(id)}, which is none.`);
  const path = paths.startFile(id);
  try {
    return parseJson(Sent, await readFile(path, 'utf8'), path).environment;
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new UserError(`The environment of the request is gone: ${path}. Ask for the member again.`, ExitCode.failed, {
      cause: error,
    });
  } finally {
    await dropEnvironment(paths, id);
  }
}

/** For one that nobody takes. */
export async function dropEnvironment(paths: TeamPaths, id: string): Promise<void> {
  await rm(paths.startFile(id), { force: true });
}
