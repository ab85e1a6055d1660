import { actionsFacts } from '../app/terminalFacts.js';
import { inertJson, unobeyed } from '../report/workflowCommands.js';
import { isStdoutFile, printLine } from './output.js';

/** One line of `json` or `stream-json`. */
export function printObject(value: unknown): void {
  printLine(inertJson(JSON.stringify(value)));
}

/** The answer as it is; where GitHub's runner reads it, no line of it is a command to that. */
export function printAnswer(text: string, newToken: () => string): void {
  const isObeyed = actionsFacts() !== undefined && !isStdoutFile();
  printLine(isObeyed ? unobeyed(text, newToken) : text);
}
