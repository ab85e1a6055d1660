import { appendFile } from 'node:fs/promises';
import { head, oneLine, wellFormed } from '../util/text.js';
import { visible } from '../util/visible.js';
import type { RunReport } from './runReport.js';

/** GitHub shows no more of an annotation. In characters. */
const MAX_ANNOTATION = 4000;
// GitHub refuses a summary of more than a mebibyte for a step: all that is cut together stays below that.
const MAX_TEXT = 60_000;
const MAX_ROWS = 100;
const MAX_CELL = 150;

/**
 * A run's end as lines that GitHub Actions shows beside the job.
 * The form: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function annotations({ is_error, subtype, errors = [], team, worktrees }: RunReport): string[] {
  const name = team === '' ? 'troupe run' : `troupe ${team}`;
  const kept = worktrees.map(({ member, path, branch, holds, lost }) =>
    annotation(lost ? 'error' : 'notice', `Worktree of ${member}`, `${path}, branch ${branch}: ${holds.join('; ')}`),
  );
  const end = is_error
    ? annotation('error', `${name}: ${subtype}`, errors.join('\n') || subtype)
    : annotation('notice', name, 'The team is done.');
  return [end, ...kept];
}

function annotation(level: 'error' | 'notice', title: string, message: string): string {
  const property = escaped(oneLine(shown(title, 2 * MAX_CELL), MAX_CELL))
    .replaceAll(':', '%3A')
    .replaceAll(',', '%2C');
  return `::${level} title=${property}::${escaped(shown(message, MAX_ANNOTATION))}`;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Adds the summary of a run to the file that `$GITHUB_STEP_SUMMARY` names. */
export async function appendSummary(path: string, report: RunReport): Promise<void> {
  await appendFile(path, summary(report));
}

/** A run in Markdown. */
export function summary({
  is_error,
  subtype,
  errors = [],
  result,
  team,
  duration_ms,
  total_cost_usd,
  members,
  tasks,
  worktrees,
}: RunReport): string {
  const verdict = is_error ? `failed (\`${subtype}\`)` : 'done';
  const parts = [
    `## troupe${team === '' ? '' : ` ${cell(team)}`}: ${verdict}`,
    `${(duration_ms / 1000).toFixed(1)} s, $${total_cost_usd.toFixed(4)}`,
    errors.length > 0 ? fenced(errors.join('\n')) : '',
    result === '' ? '' : fenced(result),
    table(
      ['member', 'state', 'turns', 'cost'],
      members.map(({ name, state, turns, costUsd }) => [name, state, String(turns), `$${costUsd.toFixed(4)}`]),
    ),
    table(
      ['task', 'subject', 'status', 'owner'],
      tasks.map(({ id, subject, status, owner = '' }) => [id, subject, status, owner]),
    ),
    table(
      ['worktree of', 'branch', 'path', 'holds'],
      worktrees.map(({ member, branch, path, holds }) => [member, branch, path, holds.join('; ')]),
    ),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n\n`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  const lines = [row(heads), `|${heads.map(() => '---|').join('')}`, ...rows.slice(0, MAX_ROWS).map(row)];
  const left = rows.length - MAX_ROWS;
  return [...lines, ...(left > 0 ? [row([`… ${left} more`])] : [])].join('\n');
}

function cell(text: string): string {
  return oneLine(shown(text, 2 * MAX_CELL), MAX_CELL).replace(/[\\|<>`*_[\]]/g, '\\$&');
}

/** As it is, whatever fences it has itself. */
function fenced(text: string): string {
  const kept = shown(text, MAX_TEXT);
  const longest = (kept.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${kept}\n${fence}`;
}

/** As much as `max` UTF-16 units, with nothing in it that a log or a page would obey, or a file could not hold. */
function shown(text: string, max: number): string {
  return head(visible(wellFormed(head(text, max))), max);
}
