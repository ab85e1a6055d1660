import type { Backend, Pane } from '../../panes/backend.js';
import { ExitCode, messageOf, UserError } from '../../util/errors.js';
import type { TeamPlace } from '../messages.js';
import { createRecordReader } from '../runRecord.js';
import type { Member } from '../teamFile.js';

/** How long a started process has to say that it is ready. */
export const READY_MS = 15_000;

/** Resolves when a started member's record says so. @throws UserError with its last words when it ends first, or takes too long. */
export async function waitUntilReady(
  { clock, paths }: TeamPlace,
  backend: Backend,
  { name, generation }: Member,
  pane: Pane,
): Promise<void> {
  const until = clock.monotonic() + READY_MS;
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
    if (clock.monotonic() > until) {
      throw new UserError(
        `"${name}" was not ready within ${READY_MS / 1000} s. It shows:\n${(await backend.capture(pane, 20).catch(messageOf)) || '(nothing)'}`,
        ExitCode.failed,
      );
    }
    await clock.sleep(25);
  }
}

function howItEnded({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal ? `signal ${signal}` : code === null ? 'its pane is gone' : `exit code ${code}`;
}
