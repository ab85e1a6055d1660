import { type Command, InvalidArgumentError, Option } from 'commander';
import { serveModels } from '../../app/demo/modelServer.js';
import { theWorld } from '../../app/services.js';
import { untilInterrupted } from '../interrupt.js';
import { createOutput } from '../output.js';
import { wholeNumber, withJson } from './shared.js';

interface ServerOptions {
  readonly script?: string;
  readonly fault: readonly string[];
  readonly record?: string;
  readonly upstream?: string;
  readonly replay?: string;
  readonly port?: number;
  readonly json?: boolean;
  readonly exitWithParent?: boolean;
}

const FAULTS = `
Faults: NAME[,SETTING=VALUE…], several times if you like.
  429, 500, 529, …        any HTTP status; with retry-after=SECONDS, message=TEXT
  cut, error, malformed   the stream breaks in the middle of a delta: closed, an error event, no JSON
  hang, silent            nothing more comes in the middle; nothing comes at all
  max-tokens, refusal     the answer stops in the middle of a tool call; the model refuses
  prompt-too-long         the prompt is over the window
  slow-start=SECONDS, tokens-per-second=N
                          all answers are slow
When: times=N (one, unless for or every is given), after=N, every=N, for=SECONDS (from the first one on).
  --fault 529,for=10s     --fault 429,retry-after=3,times=2     --fault cut,every=5

GET /__log answers with the requests seen.`;

export function register(program: Command): void {
  withJson(program.command('model-server'))
    .summary('serve the Messages API from a script')
    .description(
      'Serve the Messages API from a script, on loopback: for tests of teams, templates and hooks without a key or a network. Point any client at it with ANTHROPIC_BASE_URL; any key will do.',
    )
    .option('--script <file>', 'the answers: YAML, or a TypeScript module')
    .addOption(
      new Option('--fault <fault>', 'let something go wrong (see below); may be given again')
        .argParser(also)
        .default([], 'none'),
    )
    .option('--record <file>', 'keep each exchange with a real service, without keys')
    .option('--upstream <url>', 'the service to record, as https://api.anthropic.com')
    .option('--replay <file>', 'answer from what was recorded; a request that differs is refused and shown')
    .option('--port <n>', 'a port of your choice', port)
    .option('--exit-with-parent', 'end when the program that started it has ended')
    .addHelpText('after', FAULTS)
    .action(async ({ fault, json, exitWithParent, ...options }: ServerOptions) => {
      const output = createOutput({ json });
      await untilInterrupted((signal) =>
        serveModels(theWorld(), {
          ...options,
          faults: fault,
          exitWithParent: exitWithParent ? process.ppid : undefined,
          listening: (facts) =>
            output.item(
              facts,
              `Listening on ${facts.url}\nexport ANTHROPIC_BASE_URL=${facts.url} ANTHROPIC_API_KEY=any`,
            ),
          problem: output.note,
          signal,
        }),
      );
    });
}

function also(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function port(text: string): number {
  const number = wholeNumber(text);
  if (number > 65_535) throw new InvalidArgumentError('It must be at most 65535.');
  return number;
}
