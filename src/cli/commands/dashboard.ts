import type { Command } from 'commander';
import { dashboard } from '../../app/look/dashboard.js';
import { theWorld } from '../../app/services.js';
import { untilInterrupted } from '../interrupt.js';
import { note } from '../output.js';
import { examples, oneTeam, type TeamOptions, withTeam } from './shared.js';

export function register(program: Command): void {
  withTeam(program.command('dashboard [team]'))
    .summary('watch a team full-screen, and decide on what waits')
    .description(
      'Show a team full-screen: members, what waits for you, tasks, messages, and the transcript of the chosen member. The keys are at the bottom; q leaves, and the team goes on.',
    )
    .addHelpText('after', examples('troupe dashboard', 'troupe dashboard feature'))
    .action(async (name: string | undefined, { team }: TeamOptions) => showTeam(oneTeam(name, team)));
}

/** Shows it until the person leaves. @throws UserError for what was refused meanwhile to a member's own tool */
export async function showTeam(team: string | undefined, member?: string): Promise<void> {
  await untilInterrupted(async (signal) => {
    const { unfinished, refusal } = await dashboard(theWorld(), { team, member, signal });
    if (refusal) throw refusal;
    if (unfinished > 0) note('What you asked for is still being done. Ctrl-C does not wait for it.');
  });
}
