import { userHome } from '../../config/env.js';
import { managedFolder } from '../../config/paths.js';
import { createInstructions, type Instructions } from '../../memory/instructions.js';
import type { Launch } from '../../team/start/launch.js';

/** The instructions for whoever works in a folder. */
export function instructionsAt(
  folder: string,
  {
    trusted,
    instructionFiles,
    claudeMdExcludes,
  }: Pick<Launch['settings'], 'trusted' | 'instructionFiles' | 'claudeMdExcludes'>,
): Instructions {
  return createInstructions({
    cwd: folder,
    userHome: userHome(),
    managed: managedFolder(),
    trusted,
    files: instructionFiles,
    excludes: claudeMdExcludes,
  });
}
