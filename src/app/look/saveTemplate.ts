import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureHome } from '../../config/paths.js';
import { openTaskList } from '../../tasks/taskList.js';
import { checkTeamName } from '../../team/member.js';
import { parseTemplate } from '../../team/template/templateSchema.js';
import { writeTemplate } from '../../team/template/templateText.js';
import { hasCode, UserError } from '../../util/errors.js';
import { placeOf, type World } from '../services.js';
import { chooseTeam } from './teams.js';

export interface SavedTemplate {
  readonly path: string;
  /** What a template has no word for. */
  readonly leftOut: readonly string[];
}

/** Writes a team down as a template of the user's own. @throws UserError where there is one of that name already. */
export async function saveTemplate(world: World, team: string | undefined, given: string): Promise<SavedTemplate> {
  const { home } = world;
  const name = checkTeamName(given);
  const file = await chooseTeam(world, team);
  const tasks = await openTaskList(placeOf(world, file.name).paths.tasks).list();
  const { text, leftOut } = await writeTemplate(file, tasks, name);
  const path = join(home.templates, `${name}.md`);
  // What could not be started again is no template.
  await parseTemplate(text, path, 'user', name);
  await ensureHome(home);
  await mkdir(home.templates, { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (hasCode(error, 'EEXIST'))
      throw new UserError(`There is a template ${path} already. Choose another name, or move that one aside.`);
    throw error;
  }
  return { path, leftOut };
}
