import type { Command } from 'commander';
import { listSkills } from '../../app/look/skills.js';
import { theWorld } from '../../app/services.js';
import { oneLine } from '../../util/text.js';
import { createOutput, note, table } from '../output.js';
import { pluginDirOption, withJson } from './shared.js';

export function register(program: Command): void {
  withJson(program.command('skills'))
    .summary('list the skills')
    .description(
      'List the skills and commands that agents, or people with /NAME, can use here, and the files that cannot.',
    )
    .addOption(pluginDirOption('a plugin whose skills are listed too; may be given several times'))
    .action(async ({ json, pluginDir }: { readonly json?: boolean; readonly pluginDir: readonly string[] }) => {
      const listing = await listSkills(theWorld(), pluginDir);
      const rows = listing.skills.map(({ name, source, description }) => [name, source, oneLine(description, 90)]);
      createOutput({ json }).data(
        listing,
        rows.length === 0 ? 'No skills. One is a folder: .claude/skills/NAME/SKILL.md' : await table(rows),
      );
      if (json) return;
      for (const { name, source, by } of listing.overridden) note(`${name} (${source}) is overridden by ${by}`);
      for (const { file, line, reason } of listing.skipped)
        note(`skipped ${file}${line === undefined ? '' : `:${line}`}: ${reason}`);
      for (const warning of listing.warnings) note(warning);
    });
}
