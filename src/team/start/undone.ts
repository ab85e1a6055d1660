import { ExitCode, messageOf, UserError } from '../../util/errors.js';

/** A start failed, and not all that it had made is gone again. */
export class UndoError extends UserError {
  /** What was not undone, and the next step. */
  readonly left: string;

  constructor(cause: unknown, left: string) {
    super(`${messageOf(cause)}\n${left}`, ExitCode.failed, { cause });
    this.left = left;
  }
}

/** The error of a start that was undone: its own, with what of `what` could not be undone. */
export function undone(error: unknown, what: string, failures: readonly string[]): unknown {
  if (failures.length === 0) return error;
  return new UndoError(error, `Undoing ${what} failed in part: ${failures.join('; ')}. See troupe doctor.`);
}

/** What the undoing of a start has left, for who does not tell why the start failed. */
export function leftBehind(error: unknown): readonly string[] {
  if (!(error instanceof UndoError)) return [];
  return [...leftBehind(error.cause), error.left];
}
