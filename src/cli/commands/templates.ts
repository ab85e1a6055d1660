import type { Command } from 'commander';
import { checkTemplates, initTemplate, listTemplates, showTemplate } from '../../app/look/catalog.js';
import { saveTemplate } from '../../app/look/saveTemplate.js';
import { theWorld } from '../../app/services.js';
import { ExitCode } from '../../util/errors.js';
import { oneLine } from '../../util/text.js';
import { exitWith } from '../exit.js';
import { createOutput, note, table } from '../output.js';
import { type TeamOptions, withJson, withTeam } from './shared.js';

interface JsonOption {
  readonly json?: boolean;
}

export function register(program: Command): void {
  const templates = program
    .command('templates')
    .summary('list the team templates')
    .description(
      'List the team templates that can be used here: of the project (.claude/teams), of the user, and those that come with the program.',
    );
  const sub = (usage: string, summary: string) =>
    withJson(templates.command(usage, { isDefault: usage === 'ls' }))
      .description(summary)
      .exitOverride()
      .configureOutput({ outputError: () => {} });

  sub('ls', 'all templates, a line each').action(async ({ json }: JsonOption) => {
    const { templates: all, broken } = await listTemplates(theWorld());
    createOutput({ json }).data(
      all,
      await table(all.map(({ name, source, description }) => [name, source, oneLine(description, 100)])),
    );
    for (const { file, line, reason } of broken) note(`${file}${line === undefined ? '' : `:${line}`}: ${reason}`);
  });
  sub('show <name>', 'one template, whole').action(async (name: string, { json }: JsonOption) => {
    const template = await showTemplate(theWorld(), name);
    createOutput({ json }).data(template, template.text);
  });
  sub('init <name>', "copy a template to the user's own").action(async (name: string, { json }: JsonOption) => {
    const path = await initTemplate(theWorld(), name);
    createOutput({ json }).data({ path }, path);
  });
  withTeam(sub('save <name>', "write a team down as a template of the user's own")).action(
    async (name: string, { team, json }: TeamOptions) => {
      const { path, leftOut } = await saveTemplate(theWorld(), team, name);
      createOutput({ json }).data({ path, leftOut }, path);
      if (leftOut.length > 0) note(`A template has no word for ${leftOut.join(', ')}: say it again when you start it.`);
    },
  );
  sub('check [file...]', 'say what is wrong with template files').action(
    async (files: string[], { json }: JsonOption) => {
      const result = await checkTemplates(theWorld(), files);
      createOutput({ json }).data(result, result.problems.join('\n') || 'All is well.');
      if (result.problems.length > 0) exitWith(ExitCode.usage);
    },
  );
}
