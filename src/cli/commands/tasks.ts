import type { Command } from 'commander';
import { addTask, claimTask, sharedTasks, type Task } from '../../app/look/sharedTasks.js';
import { theWorld } from '../../app/services.js';
import { UserError } from '../../util/errors.js';
import { createOutput, table } from '../output.js';
import { list, listOption, type TeamOptions, withJson, withTeam } from './shared.js';

interface AddOptions extends TeamOptions {
  readonly description?: string;
  readonly owner?: string;
  readonly after: string[];
}

export function register(program: Command): void {
  const tasks = program
    .command('tasks')
    .summary('show and change the shared task list')
    .description("Show and change the team's shared task list.");
  const sub = (usage: string, summary: string) =>
    withJson(withTeam(tasks.command(usage, { isDefault: usage === 'ls' })))
      .description(summary)
      .exitOverride()
      .configureOutput({ outputError: () => {} });

  sub('ls', 'all tasks, a line each').action(async ({ team, json }: TeamOptions) => {
    const all = await (await sharedTasks(theWorld(), team)).list();
    createOutput({ json }).data(all, all.length === 0 ? 'No tasks.' : await table(all.map(row)));
  });
  sub('add <subject...>', 'add a task')
    .option('--description <text>', 'what exactly')
    .option('--owner <member>', 'whose it is')
    .addOption(listOption('--after <ids>', 'tasks that must be completed first'))
    .action(async (subject: string[], { team, json, description = '', owner, after }: AddOptions) => {
      const task = await addTask(theWorld(), team, {
        subject: subject.join(' '),
        description,
        blockedBy: after,
        ...(owner !== undefined && { owner }),
      });
      createOutput({ json }).data(task, task.id);
    });
  sub('show <id>', 'one task, whole').action(async (id: string, { team, json }: TeamOptions) => {
    const task = await (await sharedTasks(theWorld(), team)).get(id);
    if (!task) throw new UserError(`There is no task ${JSON.stringify(id)}. See: troupe tasks ls`);
    createOutput({ json }).data(task, `${row(task).join('  ')}\n${task.description}`);
  });
  sub('claim <id>', 'give a task to a member')
    .requiredOption('--owner <member>', 'who takes it')
    .action(async (id: string, { team, json, owner }: TeamOptions & { owner: string }) => {
      const task = await claimTask(theWorld(), team, id, owner);
      createOutput({ json }).data(task, `Task ${task.id} is ${task.owner}'s.`);
    });
  sub('done <id>', 'set a task to completed').action(async (id: string, { team, json }: TeamOptions) => {
    const { task } = await (await sharedTasks(theWorld(), team)).update(id, { status: 'completed' });
    createOutput({ json }).data(task, `Task ${task.id} is completed.`);
  });
  sub('block <id>', 'let a task wait for others')
    .requiredOption('--by <ids>', 'the tasks it waits for', list)
    .action(async (id: string, { team, json, by }: TeamOptions & { by: string[] }) => {
      const { task } = await (await sharedTasks(theWorld(), team)).update(id, { addBlockedBy: by });
      createOutput({ json }).data(task, `Task ${task.id} waits for ${task.blockedBy.join(', ')}.`);
    });
  sub('rm <id>', 'remove a task; its number is not used again').action(
    async (id: string, { team, json }: TeamOptions) => {
      await (await sharedTasks(theWorld(), team)).remove(id);
      createOutput({ json }).data({ id, removed: true }, `Removed task ${id}.`);
    },
  );
}

function row({ id, status, subject, owner = '', blockedBy }: Task): string[] {
  return [id, status, owner, subject, blockedBy.length > 0 ? `after ${blockedBy.join(', ')}` : ''];
}
