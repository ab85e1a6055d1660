import { type Command, InvalidArgumentError } from 'commander';
import { theWorld } from '../../app/services.js';
import { addMember } from '../../app/start/addMember.js';
import { keptWords } from '../../app/start/worktrees.js';
import { COLORS } from '../../util/colors.js';
import { createOutput, note } from '../output.js';
import { examples, modeOption, placeWords, type TeamOptions, withJson, withTeam, word } from './shared.js';

interface AddOptions extends TeamOptions {
  readonly agent?: string;
  readonly prompt?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly worktree?: boolean;
  readonly plan?: boolean;
  readonly color?: string;
  readonly permissionMode?: 'default';
  readonly requestId?: string;
}

export function register(program: Command): void {
  withJson(withTeam(program.command('add <name>')))
    .summary('start one more teammate')
    .description('Start one more teammate in a running team.')
    .option('--agent <type>', 'the kind of agent', word, 'general-purpose')
    .option('--prompt <text>', 'its first message')
    .option('--model <model>', 'sonnet, opus, haiku or a full id', word)
    .option('--cwd <dir>', 'where it works')
    .option('--worktree', 'in a git worktree of its own')
    .option('--plan', 'its plan has to be approved before it changes anything')
    .option('--color <color>', COLORS.join(', '), color)
    .addOption(modeOption())
    .option('--request-id <id>', 'an id of your own: the same one never starts two members', word)
    .addHelpText(
      'after',
      examples(
        'troupe add docs --worktree --prompt "Bring README.md up to date"',
        'troupe add scout --agent Explore --model haiku',
      ),
    )
    .action(
      async (
        name: string,
        { team, json, agent, prompt, model, cwd, worktree, plan, color: chosen, permissionMode, requestId }: AddOptions,
      ) => {
        const wish = {
          name,
          agent,
          prompt,
          model,
          cwd,
          worktree,
          plan,
          color: chosen,
          mode: permissionMode,
          requestId,
        };
        const { member, pane, movedMail, leftWorktree } = await addMember(theWorld(), team, wish);
        createOutput({ json }).data(member, `${member.name} is ready in ${placeWords(pane.paneId)}.`);
        if (leftWorktree) note(keptWords(leftWorktree));
        if (movedMail > 0)
          note(
            `${movedMail} unread message${movedMail === 1 ? '' : 's'} of the ${member.name} before it went to its log.`,
          );
      },
    );
}

function color(text: string): string {
  if (!COLORS.some((color) => color === text)) throw new InvalidArgumentError(`Colours: ${COLORS.join(', ')}.`);
  return text;
}
