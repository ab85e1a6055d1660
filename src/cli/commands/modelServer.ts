import type { Command } from 'commander';
import { serveModels } from '../../app/modelServer.js';
import { theWorld } from '../../app/services.js';
import { untilInterrupted } from '../interrupt.js';
import { createOutput } from '../output.js';
import { wholeNumber, withJson } from './shared.js';

interface ServerOptions {
  readonly script?: string;
  readonly port?: number;
  readonly json?: boolean;
  readonly exitWithParent?: boolean;
}

export function register(program: Command): void {
  withJson(program.command('model-server'))
    .summary('serve the Messages API from a script')
    .description(
      'Serve the Messages API from a script, on loopback: for tests of teams, templates and hooks without a key or a network. Point any client at it with ANTHROPIC_BASE_URL; any key will do.',
    )
    .option('--script <file>', 'the answers (YAML)')
    .option('--port <n>', 'a port of your choice', wholeNumber)
    .option('--exit-with-parent', 'end when the program that started it has ended')
    .action(async ({ script, port, json, exitWithParent }: ServerOptions) => {
      const output = createOutput({ json });
      await untilInterrupted((signal) =>
        serveModels(theWorld(), {
          script,
          port,
          exitWithParent: exitWithParent ? process.ppid : undefined,
          listening: (facts) =>
            output.item(
              facts,
              `Listening on ${facts.url}\nexport ANTHROPIC_BASE_URL=${facts.url} ANTHROPIC_API_KEY=any`,
            ),
          signal,
        }),
      );
    });
}
