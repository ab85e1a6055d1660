import type { Command } from 'commander';
import { theWorld } from '../../app/services.js';
import { restartMember } from '../../app/start/addMember.js';
import { createOutput } from '../output.js';
import { placeWords, type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('restart <member>')))
    .summary('end a member and start it again from its transcript')
    .description('A fresh process for a member, alive or dead: it goes on from its transcript, with its mail.')
    .action(async (name: string, { team, json }: TeamOptions) => {
      const { member, pane } = await restartMember(theWorld(), team, name);
      createOutput({ json }).data(member, `${member.name} is ready again in ${placeWords(pane.paneId)}.`);
    });
}
