import type { RunningTask } from '../../headless/doings.js';
import { openTeamFile } from '../../team/teamFile.js';
import { openTaskFiles } from '../../transcript/taskFiles.js';
import { placeOf, type World } from '../services.js';

/** What members have running beside their turns. */
export async function runningTasks(world: World, team: string): Promise<RunningTask[]> {
  const { members } = await openTeamFile(placeOf(world, team).paths.config).require();
  const found = await Promise.all(
    members.map(async ({ name, sessionId }) => {
      if (sessionId === undefined) return [];
      const tasks = await openTaskFiles(world.home.session(sessionId)).tasks();
      return tasks
        .filter(({ status, backgrounded }) => status === 'running' && backgrounded)
        .map(({ type, description, progress }) => ({
          member: name,
          type,
          description,
          activity: progress.lastActivity,
        }));
    }),
  );
  return found.flat();
}
