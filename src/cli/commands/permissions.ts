import type { Command } from 'commander';
import { openDecisions, openPermission, openQuestions, requestLines } from '../../app/look/decisions.js';
import { theWorld } from '../../app/services.js';
import { oneLine } from '../../util/text.js';
import { createOutput } from '../output.js';
import { type TeamOptions, withJson, withTeam } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('permissions').argument('[id]', 'show all of this one')))
    .summary('list the permission requests that wait')
    .description(
      'List the permission requests that wait, oldest first. Answer with: troupe allow ID, or: troupe deny ID REASON',
    )
    .action(async (id: string | undefined, { team, json }: TeamOptions) => {
      if (id !== undefined) {
        const request = await openPermission(theWorld(), team, id);
        createOutput({ json }).data(request, requestLines(request, true).join('\n'));
        return;
      }
      const requests = await openDecisions(theWorld(), team, 'permission');
      const questions = await openQuestions(theWorld(), team);
      const lines = [
        ...requests.flatMap((request) => requestLines(request)),
        ...questions.map(
          ({ from, question }) => `${from} asks: ${oneLine(question, 300)} (answer at its prompt: /waiting)`,
        ),
      ];
      createOutput({ json }).data(requests, lines.join('\n') || 'No request waits.');
    });
}
