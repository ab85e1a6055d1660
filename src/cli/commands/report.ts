import { type Command, InvalidArgumentError } from 'commander';
import { writeReport } from '../../app/look/report.js';
import { theWorld } from '../../app/services.js';
import { noteArchive } from '../archiveNote.js';
import { createOutput } from '../output.js';
import { examples, oneTeam, type TeamOptions, withJson, withTeam, word } from './shared.js';

export function register(program: Command): void {
  withJson(withTeam(program.command('report [team]')))
    .summary('write a run down as one page to look at')
    .description(
      'Write what a team has done as one HTML page that needs nothing else: a timeline of its members, their messages, tasks, plans, permission requests, tool calls and costs. It holds what the members saw, so look through it before you pass it on. Teams in the archive count too, by their name or their full one (name and time). Prints the path.',
    )
    .requiredOption('-o, --output <file>', 'where the page goes; an earlier report there is replaced', filePath)
    .option('--force', 'replace the file whatever it is')
    .addHelpText('after', examples('troupe report -o run.html', 'troupe report feature -o feature.html'))
    .action(async (name: string | undefined, { team, json, output, force = false }: TeamOptions & ReportOptions) => {
      await noteArchive(oneTeam(name, team));
      const written = await writeReport(theWorld(), oneTeam(name, team), { file: output, force });
      createOutput({ json }).data(written, written.path);
    });
}

interface ReportOptions {
  readonly output: string;
  readonly force?: boolean;
}

function filePath(text: string): string {
  if (text === '-') throw new InvalidArgumentError('It must be the path of a file: stdout gets that path.');
  return word(text);
}
