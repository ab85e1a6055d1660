import type { Command } from 'commander';
import { type Interruption, interruptMember } from '../../app/end/interruptMember.js';
import { theWorld } from '../../app/services.js';
import { createOutput } from '../output.js';
import { examples, type TeamOptions, withJson, withTeam } from './shared.js';

const WORDS: Readonly<Record<Interruption['how'], string>> = {
  interrupted: 'was interrupted',
  asked: 'was told to stop, and is ending its turn',
  nothing: 'has no turn to end',
};

export function register(program: Command): void {
  withJson(withTeam(program.command('interrupt <member>')))
    .summary("end a member's current turn")
    .description('End the current turn of a member, or of "lead". It keeps its mail and its history, and is idle then.')
    .addHelpText('after', examples('troupe interrupt reviewer', 'troupe interrupt lead'))
    .action(async (member: string, { team, json }: TeamOptions) => {
      const result = await interruptMember(theWorld(), team, member);
      createOutput({ json }).data(result, `${result.name} ${WORDS[result.how]}.`);
    });
}
