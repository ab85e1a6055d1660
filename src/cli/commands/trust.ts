import { resolve } from 'node:path';
import type { Command } from 'commander';
import { trustOf } from '../../app/look/catalog.js';
import { refuseMembers } from '../../app/look/teams.js';
import { theWorld } from '../../app/services.js';
import { createOutput } from '../output.js';
import { withJson } from './shared.js';

export function register(program: Command): void {
  withJson(program.command('trust [dir]'))
    .summary("let a folder's own settings and templates open doors")
    .description(
      'Trust a folder and all below it: its hooks, MCP servers, allow rules and template permissions count. Without that they are left out; deny and ask rules always hold.',
    )
    .option('--remove', 'trust it no longer')
    .option('--list', 'show what is trusted')
    .action(
      async (dir: string | undefined, { json, remove, list }: { json?: boolean; remove?: boolean; list?: boolean }) => {
        const output = createOutput({ json });
        const trust = trustOf(theWorld());
        if (list) {
          const folders = await trust.list();
          return output.data(folders, folders.join('\n') || 'No folder is trusted.');
        }
        refuseMembers('trust');
        const folder = resolve(dir ?? '.');
        if (remove) {
          const was = await trust.untrust(folder);
          return output.data(
            { folder, trusted: false },
            was ? `${folder} is trusted no longer.` : `${folder} was not trusted.`,
          );
        }
        await trust.trust(folder);
        return output.data({ folder, trusted: true }, `${folder} is trusted.`);
      },
    );
}
