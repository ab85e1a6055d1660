import type { Command } from 'commander';
import { resume } from '../../app/resume/resume.js';
import { theWorld } from '../../app/services.js';
import { noteArchive } from '../archiveNote.js';
import { createOutput, isTerminal, note } from '../output.js';
import { backendOption, examples, oneTeam, type TeamOptions, withJson, withTeam } from './shared.js';

interface ResumeFlags extends TeamOptions {
  readonly detach?: boolean;
  readonly backend?: 'auto' | 'tmux' | 'iterm2' | 'in-process';
}

export function register(program: Command): void {
  withJson(withTeam(program.command('resume [team]')))
    .summary('go on with a team that was stopped, has crashed or is archived')
    .description(
      'Go on with a team that has no lead any more: one that was stopped or has crashed, else the newest of that name in the archive, or the one of that full name (name and time). Members that live are kept, the others and the lead start again from their transcripts, with their mail, tasks and worktrees. Members that were asked to end stay ended.',
    )
    .option('-d, --detach', 'do not attach')
    .addOption(backendOption())
    .addHelpText(
      'after',
      examples('troupe resume', 'troupe resume feature --detach', 'troupe resume feature --backend in-process'),
    )
    .action(async (name: string | undefined, { team, json, detach = false, backend }: ResumeFlags) => {
      await noteArchive(oneTeam(name, team));
      const resumed = await resume(theWorld(), {
        team: oneTeam(name, team),
        backend,
        detach,
        isTerminal: isTerminal(),
        note,
      });
      if (detach)
        createOutput({ json }).data(
          resumed,
          `Team "${resumed.team}" is up again. Attach with: troupe attach -t ${resumed.team}\nor: ${resumed.attach}`,
        );
    });
}
