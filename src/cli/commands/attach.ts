import type { Command } from 'commander';
import { attach } from '../../app/look/look.js';
import { theWorld } from '../../app/services.js';
import { type TeamOptions, withTeam } from './shared.js';

export function register(program: Command): void {
  withTeam(program.command('attach [member]'))
    .summary("show the team's panes")
    .description(
      "Show the team's panes in this terminal, with the member's in front. Ctrl-b d leaves; the team goes on. A team in one process has none: it is shown with the dashboard, which q leaves.",
    )
    .action(async (member: string | undefined, { team }: TeamOptions) => {
      const other = await attach(theWorld(), team, member);
      if (other) await (await import('./dashboard.js')).showTeam(other.team, other.member);
    });
}
