import { killThoseLeft } from './children.js';
import { systemClock, within } from './clock.js';
import { collect } from './collect.js';
import { groupMembers, killGroup, procStart, sendSignal } from './processes.js';
import { type Run, start } from './run.js';

const GRACE_MS = 2000;
/** How long what was printed may take to arrive when somebody else holds the output. */
const LAST_WORDS_MS = 500;

/**
 * As `run`, in a process group of its own: Ctrl-C reaches neither the program nor what it starts, and `signal` ends both,
 * by SIGTERM and then by SIGKILL. What comes of that counts as a failure of the program.
 */
export const runInGroup: Run = async (file, args, { signal, cwd, env, input } = {}) => {
  signal?.throwIfAborted();
  const child = await start(file, args, {
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env }),
    ...(input !== undefined && { input }),
  });
  const leader = { pid: child.pid, procStart: (await procStart(child.pid)) ?? 'gone' };
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const end = async () => {
    const group = await groupMembers(leader);
    await sendSignal(leader, 'SIGTERM', 'group');
    await killThoseLeft(group, systemClock, GRACE_MS);
    // What was forked meanwhile.
    killGroup(child.pid);
  };
  const ending = new Promise<void>((resolve) => {
    const begin = () => void end().finally(resolve);
    if (signal?.aborted) begin();
    else signal?.addEventListener('abort', begin, { once: true });
  });
  const { code } = await child.exited;
  if (signal?.aborted) await ending;
  await within(systemClock, LAST_WORDS_MS, () => Promise.all([stdout.ended, stderr.ended]));
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  return { exitCode: code ?? 128, stdout: stdout.text(), stderr: stderr.text() };
};
