import * as z from 'zod/mini';
import type { Run } from '../../host/run.js';

export type It2Failure = 'missing' | 'no-api' | 'gone' | 'refused';

/** it2 said no, in its own words. */
export class It2Error extends Error {
  override readonly name = 'It2Error';
  readonly failure: It2Failure;

  constructor(failure: It2Failure, command: string, words: string) {
    super(`it2 ${command}: ${words.trim() || 'failed without a word'}`);
    this.failure = failure;
  }
}

/** iTerm2's sessions, by their ids. */
export interface It2 {
  list(): Promise<string[]>;
  /** A session beside `target`, with the user's shell in it. */
  split(target: string, direction: 'right' | 'below'): Promise<string>;
  /** Types a line into a session. */
  type(session: string, line: string): Promise<void>;
  name(session: string, name: string): Promise<void>;
  focus(session: string): Promise<void>;
  /** What it shows. */
  read(session: string): Promise<string>;
  close(session: string): Promise<void>;
}

const ANSWERS_WITHIN_MS = 20_000;
const Sessions = z.array(z.looseObject({ id: z.string() }));

/** The door to iTerm2: the program `it2`, which asks its Python API. Each call throws an `It2Error`. */
export function createIt2(run: Run, env: Readonly<Record<string, string>>): It2 {
  async function it2(...args: readonly string[]): Promise<string> {
    const command = args.slice(0, 2).join(' ');
    const result = await run('it2', args, { env, timeout: ANSWERS_WITHIN_MS }).catch((error: unknown) => {
      const words = String(error);
      throw new It2Error(words.includes('ENOENT') ? 'missing' : 'refused', command, words);
    });
    if (result.exitCode === 0) return result.stdout;
    const words = result.stderr || result.stdout;
    throw new It2Error(classify(words), command, words);
  }
  return {
    async list() {
      return Sessions.parse(JSON.parse(await it2('session', 'list', '--json'))).map(({ id }) => id);
    },
    async split(target, direction) {
      const vertical = direction === 'right' ? ['--vertical'] : [];
      const said = await it2('session', 'split', ...vertical, '--session', target);
      const id = /(\S+)\s*$/.exec(said)?.[1];
      if (id === undefined) throw new It2Error('refused', 'session split', said);
      return id;
    },
    type: async (session, line) => void (await it2('session', 'run', line, '--session', session)),
    name: async (session, name) => void (await it2('session', 'set-name', name, '--session', session)),
    focus: async (session) => void (await it2('session', 'focus', session)),
    read: (session) => it2('session', 'read', '--session', session),
    close: async (session) => void (await it2('session', 'close', '--force', '--session', session)),
  };
}

function classify(words: string): It2Failure {
  if (/session .*not found/i.test(words)) return 'gone';
  if (/python api|not running inside iterm2|connection error/i.test(words)) return 'no-api';
  return 'refused';
}

/** The id of the session that a process runs in: `$ITERM_SESSION_ID` is `w0t1p2:<id>`. Nothing outside of iTerm2. */
export function sessionAround(environment: Readonly<Record<string, string>>): string | undefined {
  if (environment['TERM_PROGRAM'] !== 'iTerm.app') return undefined;
  return environment['ITERM_SESSION_ID']?.split(':').at(-1) || undefined;
}

/** Why members cannot be shown in iTerm2 from here, with the way to change that; nothing where they can. */
export async function iterm2Problem(
  run: Run,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const session = sessionAround(environment);
  if (session === undefined)
    return 'This is no terminal of iTerm2 ($TERM_PROGRAM, $ITERM_SESSION_ID), or tmux is in between.';
  try {
    const sessions = await createIt2(run, environment).list();
    return sessions.includes(session) ? undefined : `iTerm2 has no session ${session}: start in a new one.`;
  } catch (error) {
    if (error instanceof It2Error && error.failure === 'missing')
      return 'There is no it2 on the PATH, which iTerm2 is asked with: pip install it2';
    if (error instanceof It2Error && error.failure === 'no-api')
      return 'it2 does not reach iTerm2: switch on Settings → General → Magic → Enable Python API.';
    return `it2 cannot list the sessions of iTerm2: ${error instanceof Error ? error.message : String(error)}`;
  }
}
