import { fingerprint } from '../../store/fingerprint.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';

/** The TeamFile as a running session knows it. */
export interface TeamView {
  current(): TeamFile;
  /** Looks at the file: cheap where nothing has changed. A team that is gone stays as it was. */
  look(): Promise<void>;
}

/** @throws UserError where there is no such team. */
export async function openTeamView(path: string): Promise<TeamView> {
  const file = openTeamFile(path);
  let seen = fingerprint(path);
  let team = await file.require();
  return {
    current: () => team,
    async look() {
      const now = fingerprint(path);
      if (now === undefined || now === seen) return;
      team = (await file.read()) ?? team;
      seen = now;
    },
  };
}
