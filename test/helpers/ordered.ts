import { writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { eventually } from './eventually.js';
import { looksInto } from './looks.js';
import type { Stage } from './program.js';

/** What a script has a command say that is to end only when a test lets it: `{ command: '${UNTIL_GO}; echo done' }`. */
export const UNTIL_GO = 'until [ -e go ]; do sleep 0.1; done; rm go';

/** What a member is seen to be; `turns` are its model's answers so far. */
export interface Standing {
  readonly name: string;
  readonly state?: string;
  readonly waitingFor?: string;
  readonly turns?: number;
}

/** Ends a command that waits by `UNTIL_GO` once a member stands so: what comes of the command then comes after that. */
export async function goWhen(stage: Stage, standing: Standing, folder = stage.folder): Promise<void> {
  const looks = looksInto(stage);
  await eventually(async () => {
    const { members } = await looks.status();
    expect(members.find(({ name }) => name === standing.name)).toMatchObject(standing);
  }, 60_000);
  await writeFile(`${folder}/go`, '');
}

/** Times that a run is given until its `--timeout`: a machine that has not got so far by then has more the next time. */
const TIME_OUTS = ['5s', '20s', '45s'] as const;

/** What is to be seen of a run that its `--timeout` ends while its members are where they can be, on whatever machine. */
export async function timedOut(look: (timeout: string) => Promise<void>): Promise<void> {
  const [last, ...before] = TIME_OUTS.toReversed();
  for (const timeout of before.toReversed()) {
    const done = await look(timeout).then(
      () => true,
      () => false,
    );
    if (done) return;
  }
  await look(last ?? '');
}
