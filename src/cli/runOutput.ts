import { inertJson, unobeyed } from '../report/workflowCommands.js';
import { isRunnerReading, printLine } from './output.js';

/** One line of `json` or `stream-json`. */
export function printObject(value: unknown): void {
  printLine(inertJson(JSON.stringify(value)));
}

/** The answer as it is; where GitHub's runner reads it, no line of it is a command to that. */
export function printAnswer(text: string, newToken: () => string): void {
  printLine(isRunnerReading() ? unobeyed(text, newToken) : text);
}
