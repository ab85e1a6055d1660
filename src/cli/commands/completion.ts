import { type Command, InvalidArgumentError } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completionScript.js';
import { printLine } from '../output.js';

export function register(program: Command): void {
  program
    .command('completion')
    .argument('<shell>', SHELLS.join(', '), shellNamed)
    .summary('print a completion script for bash, zsh or fish')
    .description(
      'Print a completion script. bash: source <(troupe completion bash) · zsh: the same · fish: troupe completion fish | source',
    )
    .action((shell: Shell) => {
      const visible = program.createHelp().visibleCommands(program);
      printLine(
        completionScript(
          shell,
          visible.map((command) => ({ name: command.name(), summary: command.summary() })),
        ),
      );
    });
}

function shellNamed(name: string): Shell {
  const shell = SHELLS.find((known) => known === name);
  if (!shell) throw new InvalidArgumentError(`Shells: ${SHELLS.join(', ')}.`);
  return shell;
}
