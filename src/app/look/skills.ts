import { resolve } from 'node:path';
import { currentFolder } from '../../config/env.js';
import { openTrust } from '../../config/trust.js';
import { skillsFor } from '../knowledge/skills.js';
import type { World } from '../services.js';

/** Every skill that can be used here, what stands in whose way, and the files that are none. */
export async function listSkills({ home }: World, pluginDirs: readonly string[]) {
  const cwd = currentFolder();
  const trusted = await openTrust(home).isTrusted(cwd);
  const { skills, skipped, overridden, warnings } = await skillsFor(home, cwd, {
    trusted,
    pluginDirs: pluginDirs.map((path) => resolve(cwd, path)),
  });
  return {
    skills: [...skills.values()].map(({ name, source, file, description, isTyped, isForPeople }) => ({
      name,
      source,
      file,
      /** Who may ask for it. */
      for: isForPeople ? 'people' : isTyped ? 'all' : 'agents',
      description,
    })),
    skipped,
    overridden,
    warnings,
  };
}
