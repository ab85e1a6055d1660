/** Exit codes of the program (the table in `troupe help exit-codes` and the README). */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  limit: 3,
  unfinished: 4,
  refused: 5,
  unavailable: 75,
  timeout: 124,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Something the person at the keyboard can fix. Printed as its message, no stack; ends the program with `exitCode`. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = ExitCode.usage, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Something the model can fix. Returned to it as a failed tool result. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

export function assertNever(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether `error` carries this `code`, as Node's own errors do (`ENOENT`, `EEXIST`, …). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** Whether the operating system refused something, as Node reports it. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || hasCode(error, 'ABORT_ERR'));
}
