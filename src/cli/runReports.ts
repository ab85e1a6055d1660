import { failedRun } from '../app/run/failedRun.js';
import { actionsFacts } from '../app/terminalFacts.js';
import type { RunReport } from '../report/runReport.js';
import { ExitCode, messageOf } from '../util/errors.js';
import { note, noteCommand } from './output.js';

/** Where a run is told of besides stdout: a JUnit file, and GitHub's pages. */
export interface RunReports {
  /** Says that it has not ended: what a run leaves that is killed. @throws UserError where the file cannot be written. */
  begin(): Promise<void>;
  end(report: RunReport): Promise<void>;
}

/** @param beganAt ISO 8601 */
export function runReports(junit: string | undefined, beganAt: string): RunReports {
  const writeFile = async (report: RunReport) => {
    if (junit === undefined) return;
    const { writeJUnit } = await import('../report/junit.js');
    await writeJUnit(junit, report, beganAt);
  };
  return {
    begin: () => writeFile(failedRun('The run has not ended: it is still at work, or it was killed.', ExitCode.failed)),
    async end(report) {
      // A report that fails takes nobody's result away.
      for (const tell of [writeFile, tellActions]) await tell(report).catch((error: unknown) => note(messageOf(error)));
    },
  };
}

async function tellActions(report: RunReport): Promise<void> {
  const facts = actionsFacts();
  if (!facts) return;
  const { annotations, appendSummary } = await import('../report/github.js');
  for (const line of annotations(report)) noteCommand(line);
  if (facts.summaryFile !== undefined) await appendSummary(facts.summaryFile, report);
}
