import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Home } from '../../config/paths.js';
import { findProject } from '../../definitions/projectFolders.js';
import { folderNameOf, projectMemory } from '../../memory/notes.js';
import type { Launch } from '../../team/start/launch.js';
import type { SessionTelemetry } from '../telemetry/sessionTelemetry.js';

/** Where a project's memory is. Named after its folder, and after its whole path so that no two share it. */
export function memoryOf({ memory }: Pick<Home, 'memory'>, mainRoot: string): { folder: string; stateFile: string } {
  const digest = createHash('sha256').update(mainRoot).digest('hex').slice(0, 8);
  const folder = join(memory, `${folderNameOf(basename(mainRoot)).slice(0, 40)}-${digest}`);
  return { folder, stateFile: `${folder}.dream.json` };
}

/** What ends a member's system prompt: its own notes, and for a lead what is known of the project. */
export async function memoryText(
  home: Home,
  { role, cwd }: Pick<Launch, 'role' | 'cwd'>,
  own: string | undefined,
  telemetry?: Pick<SessionTelemetry, 'happened'>,
): Promise<string | undefined> {
  const loaded = (scope: string, { length: characters }: string) => {
    if (characters > 0) telemetry?.happened({ name: 'memory_loaded', scope, characters });
  };
  loaded('agent', own ?? '');
  if (role !== 'lead') return own;
  const known = await projectMemory(memoryOf(home, (await findProject(cwd)).mainRoot).folder);
  loaded('project', known);
  const text = [known, own ?? ''].filter((part) => part !== '').join('\n\n');
  return text === '' ? undefined : text;
}
