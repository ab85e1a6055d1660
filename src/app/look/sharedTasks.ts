import type { Task } from '../../tasks/task.js';
import { openTaskList, type TaskList } from '../../tasks/taskList.js';
import { requireMember } from '../../team/member.js';
import { placeOf, type World } from '../services.js';
import { chooseTeam } from './teams.js';

export type { Task };

/** The shared list of a team, for the command line. */
export async function sharedTasks(world: World, team: string | undefined): Promise<TaskList> {
  const file = await chooseTeam(world, team);
  return openTaskList(placeOf(world, file.name).paths.tasks);
}

/** Adds a task. @throws UserError for an owner that is no member. */
export async function addTask(
  world: World,
  team: string | undefined,
  { owner, ...task }: Parameters<TaskList['create']>[0],
): Promise<Task> {
  const file = await chooseTeam(world, team);
  const name = owner === undefined ? undefined : requireMember(file, owner).name;
  return openTaskList(placeOf(world, file.name).paths.tasks).create({
    ...task,
    ...(name !== undefined && { owner: name }),
  });
}

/** Gives a task to a member. @throws UserError for an unknown member, a blocked task or one that is another's. */
export async function claimTask(world: World, team: string | undefined, id: string, owner: string): Promise<Task> {
  const file = await chooseTeam(world, team);
  const member = requireMember(file, owner);
  return openTaskList(placeOf(world, file.name).paths.tasks).claim(id, member.name, member.generation ?? 1);
}
