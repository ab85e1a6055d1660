import { writeAtomic } from '../store/atomicFile.js';
import { messageOf, UserError } from '../util/errors.js';
import { head } from '../util/text.js';
import type { RunReport } from './runReport.js';

/** What a reader of the file is shown at most of one text, in characters. */
const MAX_TEXT = 20_000;
const MAX_NAME = 500;

interface Case {
  readonly suite: 'run' | 'members' | 'tasks';
  readonly name: string;
  readonly failure?: { readonly type: string; readonly message: string } | undefined;
  readonly output?: string | undefined;
}

/** Writes the report whole. @throws UserError where it cannot be written. */
export async function writeJUnit(path: string, report: RunReport, isoTime: string): Promise<void> {
  try {
    await writeAtomic(path, junitXml(report, isoTime), { mode: 0o644 });
  } catch (error) {
    throw new UserError(`--junit: ${path} cannot be written: ${messageOf(error)}`, undefined, { cause: error });
  }
}

/**
 * A run as JUnit has it: a case for the run, one for each member and each task. `isoTime` is its beginning.
 * The form: https://github.com/windyroad/JUnit-Schema
 */
export function junitXml(report: RunReport, isoTime: string): string {
  const cases = [
    runCase(report),
    ...report.members.map((member) => memberCase(member, report)),
    ...report.tasks.map(taskCase),
  ];
  const suites = (['run', 'members', 'tasks'] as const).map((suite) => ({
    suite,
    cases: cases.filter((one) => one.suite === suite),
  }));
  const seconds = (report.duration_ms / 1000).toFixed(3);
  const name = report.team === '' ? 'troupe' : `troupe ${report.team}`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name=${quoted(name)} ${counts(cases)} time="${seconds}">`,
    ...suites
      .filter(({ cases: own }) => own.length > 0)
      .flatMap(({ suite, cases: own }) => [
        `  <testsuite name=${quoted(suite)} ${counts(own)} skipped="0" time="${suite === 'run' ? seconds : '0.000'}" timestamp="${isoTime.slice(0, 19)}" hostname="localhost">`,
        ...own.map((one) => caseXml(one, suite === 'run' ? seconds : '0.000')),
        '  </testsuite>',
      ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function runCase({ is_error, subtype, errors = [], result, worktrees }: RunReport): Case {
  const kept = worktrees.map(
    ({ member, path, branch, holds }) => `Worktree of ${member}, ${path}, branch ${branch}: ${holds.join('; ')}`,
  );
  return {
    suite: 'run',
    name: 'run',
    failure: is_error ? { type: subtype, message: errors.join('\n') || subtype } : undefined,
    output: [result, ...kept].filter((text) => text !== '').join('\n'),
  };
}

function memberCase(
  { name, state, activity, turns, costUsd, lastReport }: RunReport['members'][number],
  { is_error, worktrees }: RunReport,
): Case {
  const what = `${state}${activity === undefined ? '' : ` (${activity})`}, ${turns === 1 ? '1 turn' : `${turns} turns`}, $${costUsd.toFixed(4)}`;
  const lost = worktrees.filter((worktree) => worktree.lost && worktree.member === name);
  // Who was at rest when a run failed has done its part.
  const failure =
    state === 'terminated'
      ? { type: 'died', message: `${name} has died` }
      : lost.length > 0
        ? { type: 'lost', message: lost.flatMap(({ path, holds }) => [path, ...holds]).join('\n') }
        : is_error && state !== 'idle' && state !== 'exited'
          ? { type: 'unfinished', message: `${name} was not done: ${what}` }
          : undefined;
  return { suite: 'members', name, failure, output: [what, lastReport ?? ''].filter((text) => text !== '').join('\n') };
}

function taskCase({ id, subject, status, owner }: RunReport['tasks'][number]): Case {
  const failure =
    status === 'completed'
      ? undefined
      : {
          type: 'unfinished',
          message: `Task ${id} is ${status}${owner === undefined ? ', without an owner' : `, owner ${owner}`}`,
        };
  return { suite: 'tasks', name: head(`${id} ${subject}`, MAX_NAME), failure, output: undefined };
}

function counts(cases: readonly Case[]): string {
  return `tests="${cases.length}" failures="${cases.filter(({ failure }) => failure).length}" errors="0"`;
}

function caseXml({ suite, name, failure, output }: Case, seconds: string): string {
  const opening = `    <testcase name=${quoted(name)} classname=${quoted(`troupe.${suite}`)} time="${seconds}"`;
  const inside = [
    ...(failure
      ? [
          `      <failure message=${quoted(head(failure.message, 500))} type=${quoted(failure.type)}>${cdata(failure.message)}</failure>`,
        ]
      : []),
    ...(output ? [`      <system-out>${cdata(output)}</system-out>`] : []),
  ];
  return inside.length === 0 ? `${opening}/>` : [`${opening}>`, ...inside, '    </testcase>'].join('\n');
}

function cdata(text: string): string {
  const bounded =
    text.length > MAX_TEXT ? `${head(text, MAX_TEXT)}\n[cut: ${text.length - MAX_TEXT} more characters]` : text;
  return `<![CDATA[${allowed(bounded).replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

function quoted(text: string): string {
  return `"${allowed(text).replace(/[&<>"\n\r\t]/g, (character) => ENTITIES[character] ?? '')}"`;
}

/** XML 1.0 has no place for most control characters, nor for half a surrogate pair, however they are written. */
function allowed(text: string): string {
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}
