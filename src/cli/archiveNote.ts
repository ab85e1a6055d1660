import { archiveWords } from '../app/look/anyTeam.js';
import { theWorld } from '../app/services.js';
import { note } from './output.js';

/** Says which team is looked at where several in the archive have that name. */
export async function noteArchive(team: string | undefined): Promise<void> {
  const words = await archiveWords(theWorld(), team);
  if (words !== undefined) note(words);
}
