import type { Command } from 'commander';
import { demo } from '../../app/demo/demo.js';
import { takeEndSignals } from '../../app/interrupt.js';
import { refuseMembers } from '../../app/look/teams.js';
import { theWorld } from '../../app/services.js';
import { exitWith } from '../exit.js';
import { createOutput, isTerminal, note } from '../output.js';
import { backendOption, wholeNumber, withJson } from './shared.js';

interface DemoOptions {
  readonly seed: number;
  readonly script?: string;
  readonly backend?: 'auto' | 'tmux' | 'iterm2' | 'in-process';
  readonly json?: boolean;
}

export function register(program: Command): void {
  withJson(program.command('demo'))
    .summary('see a team at work, without a key or a network')
    .description(
      'Make a small repository with a failing test, and let a whole team mend it: a planner, an implementer in a worktree, a reviewer and their lead, with a scripted model. Ends with the test itself; exit 0 only when it passes.',
    )
    .option('--seed <n>', 'which function is wrong, and how', wholeNumber, 1)
    .option('--script <file>', 'answers of your own in place of the shipped ones')
    .addOption(backendOption())
    .action(async ({ seed, script, backend = 'auto', json }: DemoOptions) => {
      refuseMembers('demo');
      const world = theWorld();
      const { stop, hurry, restore } = takeEndSignals(world.clock);
      try {
        const outcome = await demo(world, {
          seed,
          script,
          backend,
          isTerminal: isTerminal(),
          note,
          signal: stop.signal,
          hurry,
        });
        createOutput({ json }).data(outcome, outcome.lines.join('\n'));
        exitWith(outcome.exitCode);
      } finally {
        restore();
      }
    });
}
