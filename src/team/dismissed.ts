import type { TeamPlace } from './messages.js';
import { changeMember, openTeamFile } from './teamFile.js';

/** Notes that a member was asked to end and did: whoever comes back to the team leaves it alone. */
export async function noteDismissed({ paths }: Pick<TeamPlace, 'paths'>, name: string): Promise<void> {
  await openTeamFile(paths.config).update((team) =>
    changeMember(team, name, (member) => ({ ...member, dismissed: true })),
  );
}
