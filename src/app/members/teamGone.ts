import { openTeamFile } from '../../team/teamFile.js';
import { placeOf, type World } from '../services.js';

/**
 * For what a member fails with: where its team's folder is gone nothing can be written down any more, and it says just
 * that. @throws `error` while the team is there
 */
export async function unlessTeamGone(
  world: World,
  team: string,
  say: (line: string) => void,
  error: unknown,
): Promise<void> {
  if (await openTeamFile(placeOf(world, team).paths.config).read()) throw error;
  say(`The folder of team ${team} is gone, so there is nothing left to do.`);
}
