import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readJson } from '../../store/jsonFile.js';
import type { TeamFile } from '../../team/teamFile.js';
import type { World } from '../services.js';

/** What of a sub-agent's record tells who it is: the whole schema is more than a short command should load. */
const Known = z.object({ agentId: z.string(), name: z.optional(z.string()) });

/** The member whose sub-agent has this name or id; nothing where none has. */
export async function subagentOwner(
  { home }: Pick<World, 'home'>,
  { members }: TeamFile,
  nameOrId: string,
): Promise<string | undefined> {
  for (const { name, sessionId } of members) {
    const folder = home.session(sessionId ?? 'none').agents;
    const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.json'));
    for (const file of files) {
      const known = await readJson(join(folder, file), Known).catch(() => undefined);
      if (known?.agentId === nameOrId || known?.name === nameOrId) return name;
    }
  }
  return undefined;
}
