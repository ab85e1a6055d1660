import type { ExitCode } from '../util/errors.js';

let asked: ExitCode | undefined;

/** How the program is to end once the command is done, where that is not by an error. */
export function exitWith(code: ExitCode): void {
  asked = code;
}

export function askedExitCode(): ExitCode | undefined {
  return asked;
}
