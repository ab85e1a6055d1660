import { readFile, rm } from 'node:fs/promises';
import * as z from 'zod/mini';
import { writeAtomic } from '../../store/atomicFile.js';
import { hasCode } from '../../util/errors.js';
import { shellLine, tail } from '../../util/text.js';

/** What is known of the session that a member runs in. */
export const Placed = z.object({ session: z.string(), team: z.string(), member: z.string() });
export type Placed = z.infer<typeof Placed>;

/** UTF-16 units of a dead program's words that are kept. */
const LAST_WORDS = 4000;

/** The files beside a launch file by which a process in a session of iTerm2 is known: nothing is read off its screen. */
export interface PaneFiles {
  readonly script: string;
  place(placed: Placed): Promise<void>;
  placed(): Promise<Placed | undefined>;
  /** Of the member's process, once it is there. */
  pid(): Promise<number | undefined>;
  /** As a shell tells it: past 128 it was a signal. */
  exitStatus(): Promise<number | undefined>;
  /** What it said on stderr. */
  lastWords(): Promise<string>;
  writeScript(cwd: string, argv: readonly string[]): Promise<void>;
  remove(): Promise<void>;
}

export function paneFiles(launchFile: string): PaneFiles {
  const file = (kind: string) => `${launchFile}.${kind}`;
  const read = async (kind: string) => {
    try {
      return await readFile(file(kind), 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  };
  const number = async (kind: string) => {
    const text = await read(kind);
    return text === undefined || text.trim() === '' ? undefined : Number(text);
  };
  return {
    script: file('sh'),
    place: (placed) => writeAtomic(file('pane'), JSON.stringify(placed), { durable: false }),
    async placed() {
      const text = await read('pane');
      return text === undefined ? undefined : Placed.parse(JSON.parse(text));
    },
    pid: () => number('pid'),
    exitStatus: () => number('exit'),
    lastWords: async () => tail((await read('err'))?.trimEnd() ?? '', LAST_WORDS),
    async writeScript(cwd, argv) {
      await Promise.all(['pid', 'exit', 'err'].map((kind) => rm(file(kind), { force: true })));
      await writeAtomic(file('sh'), scriptOf(cwd, argv, file), { durable: false });
    },
    async remove() {
      await Promise.all(['pane', 'sh', 'pid', 'exit', 'err'].map((kind) => rm(file(kind), { force: true })));
    },
  };
}

/** Job control gives the member a process group of its own, and the shell stays to write down how it ended. */
function scriptOf(cwd: string, argv: readonly string[], file: (kind: string) => string): string {
  const [pid, exit, err] = [file('pid'), file('exit'), file('err')];
  const inner = `echo $$ > ${shellLine([`${pid}.new`])} && mv ${shellLine([`${pid}.new`, pid])} && exec "$@" 2> ${shellLine([err])}`;
  return [
    'set -m',
    `cd ${shellLine([cwd])} && ${shellLine(['/bin/sh', '-c', inner, 'sh', ...argv])}`,
    'code=$?',
    `[ -s ${shellLine([err])} ] && cat ${shellLine([err])} >&2`,
    `echo $code > ${shellLine([`${exit}.new`])} && mv ${shellLine([`${exit}.new`, exit])}`,
    '',
  ].join('\n');
}
