import { requestBody } from '../../../team/requestBody.js';
import { suggestedRules, type TeamRequest } from '../../../team/requests.js';
import type { Board, Confirm, Thing } from '../board.js';
import type { BoardMember, BoardMessage, BoardTask, Waiting } from '../snapshot.js';
import { wrap } from './cells.js';
import { HELP } from './help.js';
import { stateWords, timeOf } from './words.js';

/** Rows of the screen that are no part of a thing that is seen whole: two bars, a title, and a row below it. */
const AROUND = 5;

/** How much of a thing is seen at once. */
export function pageOf({ size }: Pick<Board, 'size'>): number {
  return Math.max(1, size.rows - AROUND);
}

/** A thing may be megabytes long, and is drawn at each key press. */
const broken = new WeakMap<Thing, { readonly columns: number; readonly rows: readonly string[] }>();

/** A thing, whole, in rows that fit. */
export function rowsOf({ size }: Pick<Board, 'size'>, thing: Thing): readonly string[] {
  const columns = Math.max(2, size.columns - 2);
  const known = broken.get(thing);
  if (known?.columns === columns) return known.rows;
  const rows = wholeOf(thing).lines.flatMap((line) => wrap(line, columns));
  broken.set(thing, { columns, rows });
  return rows;
}

/** How far down it can be scrolled. */
export function lastTop(board: Pick<Board, 'size'>, thing: Thing): number {
  return Math.max(0, rowsOf(board, thing).length - pageOf(board));
}

/** Whether the person has had all of what they decide on before their eyes. */
export function isWholeSeen(board: Pick<Board, 'size'>, { thing, top, isSeen }: Confirm): boolean {
  return isSeen || thing === undefined || top >= lastTop(board, thing);
}

interface Whole {
  /** The member whose badge is in front of the title. */
  readonly from?: string;
  readonly title: string;
  readonly lines: readonly string[];
}

/** A thing's title and all of its words, which may be anybody's. */
export function wholeOf(thing: Thing): Whole {
  switch (thing.kind) {
    case 'waiting':
      return waitingWhole(thing.waiting);
    case 'message':
      return messageWhole(thing.message);
    case 'task':
      return taskWhole(thing.task);
    case 'member':
      return memberWhole(thing.member);
    case 'help':
      return { title: 'Keys', lines: HELP };
  }
}

function waitingWhole(waiting: Waiting): Whole {
  const { from } = waiting;
  if (waiting.kind === 'question')
    return {
      from,
      title: 'asks',
      lines: [waiting.question, '', 'It is answered at the prompt of its terminal: /waiting shows it there.'],
    };
  const { request } = waiting;
  if (request.kind === 'plan') return { from, title: 'has a plan', lines: [request.plan ?? ''] };
  return { from, title: `asks to use ${request.tool ?? 'a tool'}`, lines: permissionLines(request) };
}

/** The whole of what would be allowed: nobody allows what they could not see. */
function permissionLines(request: TeamRequest): string[] {
  const { description = '' } = request;
  const rules = suggestedRules(request);
  const body = requestBody(request, description.length);
  return [
    description,
    ...(body.length > 0 ? ['', ...body] : []),
    ...(rules.length > 0 ? ['', 'A: always would allow to the whole team:', ...rules.map((rule) => `  ${rule}`)] : []),
  ];
}

function messageWhole({ from, to, at, isRead, text }: BoardMessage): Whole {
  return { title: `${from} to ${to}, ${timeOf(at)}${isRead ? '' : ', not read yet'}`, lines: [text] };
}

function taskWhole(task: BoardTask): Whole {
  const { id, subject, description, status, owner, waitsFor, blocks } = task;
  const list = (ids: readonly string[]) => ids.map((one) => `#${one}`).join(', ');
  return {
    title: `Task ${id}: ${subject}`,
    lines: [
      `${status.replace('_', ' ')}${owner === undefined ? ', nobody has it' : `, ${owner} has it`}`,
      ...(waitsFor.length > 0 ? [`waits for ${list(waitsFor)}`] : []),
      ...(blocks.length > 0 ? [`before ${list(blocks)}`] : []),
      '',
      description,
    ],
  };
}

function memberWhole(member: BoardMember): Whole {
  const { name, model, mode, place, record } = member;
  const todos = record?.todos ?? [];
  return {
    title: name,
    lines: [
      `${stateWords(member)}${record?.activity === undefined ? '' : `: ${record.activity}`}`,
      `model ${model}, mode ${mode}, ${place === '' ? 'no pane' : place}`,
      ...(todos.length > 0
        ? ['', ...todos.map(({ content, status }) => `${status.replace('_', ' ').padEnd(12)} ${content}`)]
        : []),
    ],
  };
}
