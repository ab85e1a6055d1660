import type { Command } from 'commander';
import { checkAgents, listAgents, showAgent } from '../../app/look/catalog.js';
import { theWorld } from '../../app/services.js';
import { ExitCode } from '../../util/errors.js';
import { oneLine } from '../../util/text.js';
import { exitWith } from '../exit.js';
import { createOutput, note, table } from '../output.js';
import { withJson } from './shared.js';

interface JsonOption {
  readonly json?: boolean;
}

export function register(program: Command): void {
  const agents = program
    .command('agents')
    .summary('list the agent definitions')
    .description('List the agent definitions that can be used here, and the files that cannot.');
  const sub = (usage: string, summary: string) =>
    withJson(agents.command(usage, { isDefault: usage === 'ls' }))
      .description(summary)
      .exitOverride()
      .configureOutput({ outputError: () => {} });

  sub('ls', 'all definitions, a line each').action(async ({ json }: JsonOption) => {
    const listing = await listAgents(theWorld());
    createOutput({ json }).data(
      listing,
      await table(listing.agents.map(({ name, source, description }) => [name, source, oneLine(description, 90)])),
    );
    if (json) return;
    for (const { agentType, source, by } of listing.overridden) note(`${agentType} (${source}) is overridden by ${by}`);
    for (const { file, line, reason } of listing.skipped)
      note(`skipped ${file}${line === undefined ? '' : `:${line}`}: ${reason}`);
    for (const warning of listing.warnings) note(warning);
  });
  sub('show <name>', 'one definition, whole').action(async (name: string, { json }: JsonOption) => {
    const { prompt, ...agent } = await showAgent(theWorld(), name);
    createOutput({ json }).data({ ...agent, prompt }, `${JSON.stringify(agent, null, 2)}\n\n${prompt}`);
  });
  sub('check [file...]', 'say what is wrong with definition files').action(
    async (files: string[], { json }: JsonOption) => {
      const result = await checkAgents(theWorld(), files);
      createOutput({ json }).data(result, [...result.problems, ...result.warnings].join('\n') || 'All is well.');
      if (result.problems.length > 0) exitWith(ExitCode.usage);
    },
  );
}
