import { type Command, Option } from 'commander';
import { theWorld } from '../../app/services.js';
import { planUp, up } from '../../app/start/up.js';
import { canAsk, confirm, createOutput, isTerminal, note } from '../output.js';
import { planLines } from '../planLines.js';
import { backendOption, examples, withJson } from './shared.js';
import { type TeamFlags, wishFrom, withTeamFlags } from './teamFlags.js';

interface UpFlags extends TeamFlags {
  readonly detach?: boolean;
  readonly backend?: 'auto' | 'tmux' | 'iterm2' | 'in-process';
  readonly json?: boolean;
}

export function register(program: Command): void {
  withJson(withTeamFlags(program.command('up [template] [prompt...]')))
    .summary('create a team and attach to it')
    .description(
      'Create a team, start its lead and its teammates, and attach. The first word is a template where one of that name exists; else the prompt begins with it.',
    )
    .option('-d, --detach', 'do not attach')
    .addOption(backendOption())
    .addOption(new Option('--layout <how>', 'panes of one window, or a window each').choices(['panes', 'windows']))
    .addHelpText(
      'after',
      examples(
        'troupe up feature "Add a --json flag to the list command"',
        'troupe up review --set base=main --detach',
        'troupe up "Find out why the tests are slow" --permission-mode plan',
        'troupe up feature "Add …" --dry-run',
      ),
    )
    .action(async (template: string | undefined, prompt: string[], flags: UpFlags) => {
      const { detach = false, backend = 'auto', json, dryRun = false, ...team } = flags;
      const world = theWorld();
      const wish = await wishFrom([...(template === undefined ? [] : [template]), ...prompt], team);
      const options = {
        wish,
        backend,
        detach,
        // What is only printed needs none.
        isTerminal: isTerminal() || dryRun,
        note,
        askTrust: canAsk() ? askTrust : undefined,
      };
      const output = createOutput({ json });
      if (dryRun) {
        const { plan, decided } = await planUp(world, options);
        output.data({ ...plan, backend: decided.type, environment: undefined }, planLines(plan, decided.type));
        return;
      }
      const { team: name, attach } = await up(world, options);
      if (detach)
        output.data(
          { team: name, attach },
          `Team "${name}" is up. Attach with: troupe attach -t ${name}\nor: ${attach}`,
        );
    });
}

async function askTrust(folder: string, leftOut: readonly string[]): Promise<boolean> {
  for (const line of leftOut) note(line);
  return confirm(`Do you trust the files in ${folder}?`);
}
