import type { Backend, Pane } from '../../panes/backend.js';
import { ExitCode, messageOf, UserError } from '../../util/errors.js';
import type { TeamPlace } from '../messages.js';
import { createRecordReader } from '../runRecord.js';
import type { Member } from '../teamFile.js';
import { createPatience } from './patience.js';

/** How long a started process may do nothing before it says that it is ready. */
export const READY_MS = 15_000;
/** Of a third of that. A program that only waits looks at its files now and then, one of twenty on a busy machine gets more. */
const LEAST_MS = 100;

/** Resolves when a started member's record says so. @throws UserError with its last words when it ends first, or takes too long. */
export async function waitUntilReady(
  { clock, paths }: TeamPlace,
  backend: Backend,
  { name, generation }: Member,
  pane: Pane,
): Promise<void> {
  const begun = clock.monotonic();
  const isOver = createPatience({ clock, forMs: READY_MS, effort: () => backend.effort(pane), leastMs: LEAST_MS });
  const readRecord = createRecordReader();
  for (let look = 0; ; look++) {
    const record = await readRecord(paths.runRecord(name));
    if (record?.generation === generation && record?.readyAt !== undefined) return;
    // Asking the backend costs a process, which a member that starts could use; the record costs a look.
    const end = look % 20 === 19 ? await backend.ended(pane) : undefined;
    if (end)
      throw new UserError(
        `"${name}" ended before it was ready (${howItEnded(end)}). Its last lines:\n${end.lastLines || '(none)'}`,
        ExitCode.failed,
      );
    if (await isOver()) {
      const seconds = Math.round((clock.monotonic() - begun) / 1000);
      throw new UserError(
        `"${name}" was not ready within ${seconds} s. It shows:\n${(await backend.capture(pane, 20).catch(messageOf)) || '(nothing)'}`,
        ExitCode.failed,
      );
    }
    await clock.sleep(25);
  }
}

function howItEnded({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal ? `signal ${signal}` : code === null ? 'its pane is gone' : `exit code ${code}`;
}
