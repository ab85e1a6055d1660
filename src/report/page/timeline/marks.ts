import { allOf } from '../firstAndLast.js';
import { type Html, html } from '../html.js';
import type { Story, StoryDenial, StoryRequest } from '../story.js';
import { nameWords } from '../words.js';

/** Each kind has a shape of its own, so that none is told by its colour alone. Drawn around 0, 0. */
const SHAPES = {
  'plan-asked': ['a plan is handed in', 'M0-5.5L5.5 0 0 5.5-5.5 0Z', 'm-open'],
  'plan-approved': ['approved', 'M0-5.5L5.5 0 0 5.5-5.5 0Z', 'm-good'],
  'plan-rejected': ['rejected', 'M0-6.5L6.5 0 0 6.5-6.5 0ZM-2-2L2 2M2-2L-2 2', 'm-bad'],
  'permission-asked': ['a permission is asked for', 'M0-5L5.5 5H-5.5Z', 'm-open'],
  'permission-allowed': ['allowed', 'M0-5L5.5 5H-5.5Z', 'm-good'],
  'permission-denied': ['denied', 'M0-6L6.5 6H-6.5ZM-1.8 0L1.8 4M1.8 0L-1.8 4', 'm-bad'],
  'call-denied': ['a call is denied unasked', 'M-5 0A5 5 0 1 1 5 0 5 5 0 1 1-5 0ZM-2.5 0H2.5', 'm-bad'],
  'task-taken': ['a task is taken up', 'M-4.5-4.5H4.5V4.5H-4.5Z', 'm-open'],
  'task-completed': ['completed', 'M-4.5-4.5H4.5V4.5H-4.5Z', 'm-good'],
  died: ['died', 'M-5-5L5 5M5-5L-5 5', 'm-death'],
} as const satisfies Readonly<Record<string, readonly [words: string, path: string, look: string]>>;

export type MarkKind = keyof typeof SHAPES;

export interface Mark {
  readonly kind: MarkKind;
  readonly at: number;
  readonly who: string;
  readonly words: string;
}

export function shapeOf(kind: MarkKind): Html {
  const [, path, look] = SHAPES[kind];
  return html`<path class="${look}" d="${path}"/>`;
}

/** What the shapes mean. */
export function legend(): Html {
  const entries = Object.entries(SHAPES).map(
    ([, [words, path, look]]) =>
      html`<li><svg viewBox="-8 -8 16 16" width="14" height="14" aria-hidden="true"><path class="${look}" d="${path}"/></svg> ${words}</li>`,
  );
  return html`<ul class="legend">${entries}
<li><svg viewBox="0 0 22 16" width="20" height="14" aria-hidden="true"><rect class="bar c-none" x="1" y="4" width="20" height="8" rx="2"/></svg> at work</li>
<li><svg viewBox="0 0 22 16" width="20" height="14" aria-hidden="true"><rect class="wait" x="1" y="5" width="20" height="6"/></svg> waits for a decision</li>
<li><svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path class="arrow c-none" d="M8 1V12"/><path class="tip c-none" d="M8 15L4.5 9H11.5Z"/></svg> message</li>
<li><svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path class="arrow report c-none" d="M8 1V12"/><path class="tip c-none" d="M8 15L4.5 9H11.5Z"/></svg> report at the end of a turn</li>
</ul>`;
}

/** Every mark of a run, in no order. */
export function marksOf({ members, requests, denials, tasks }: Story): Mark[] {
  const subjects = new Map(tasks.map(({ id, subject }) => [id, subject]));
  return [
    ...requests.flatMap(requestMarks),
    ...allOf(denials)
      .filter((denial) => !requests.some((request) => isAnswerOf(request, denial)))
      .map(
        ({ at, member, tool, about }): Mark => ({
          kind: 'call-denied',
          at,
          who: member,
          words: `denied: ${tool} ${about}`,
        }),
      ),
    ...members.flatMap(({ name, deaths, talk, agents }) => [
      ...deaths.map((at): Mark => ({ kind: 'died', at, who: name, words: `${nameWords(name)} died` })),
      ...[talk, ...agents.map((agent) => agent.talk)]
        .flatMap(({ taskChanges }) => taskChanges)
        .flatMap(({ task, at, status }): Mark[] =>
          status === 'completed' || status === 'in_progress'
            ? [
                {
                  kind: status === 'completed' ? 'task-completed' : 'task-taken',
                  at,
                  who: name,
                  words: `task ${task} ${status === 'completed' ? 'completed' : 'taken up'}: ${subjects.get(task) ?? ''}`,
                },
              ]
            : [],
        ),
    ]),
  ];
}

/** The denial that follows from what somebody answered, which has a mark of its own. */
function isAnswerOf({ from, kind, answer }: StoryRequest, { at, member }: StoryDenial): boolean {
  if (kind !== 'permission' || answer === undefined || answer.approve || from !== member) return false;
  return Math.abs(at - answer.at) < ANSWER_ARRIVES_MS;
}

const ANSWER_ARRIVES_MS = 5000;

function requestMarks({ kind, from, at, tool = 'a call', answer }: StoryRequest): Mark[] {
  const what = kind === 'plan' ? 'plan' : `permission for ${tool}`;
  const asked: Mark = { kind: `${kind}-asked`, at, who: from, words: `${what} asked by ${nameWords(from)}` };
  if (!answer) return [asked];
  const verdict = kind === 'plan' ? (answer.approve ? 'approved' : 'rejected') : answer.approve ? 'allowed' : 'denied';
  const decided: MarkKind =
    kind === 'plan'
      ? answer.approve
        ? 'plan-approved'
        : 'plan-rejected'
      : answer.approve
        ? 'permission-allowed'
        : 'permission-denied';
  return [asked, { kind: decided, at: answer.at, who: from, words: `${what} ${verdict} by ${nameWords(answer.by)}` }];
}
