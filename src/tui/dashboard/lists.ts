import type { Board, Pane, Thing } from './board.js';
import type { BoardMember, BoardMessage, BoardTask, Waiting } from './snapshot.js';

/** A list as it is shown, and which of it is chosen; -1 in an empty one. */
export interface Chosen<T> {
  readonly items: readonly T[];
  readonly at: number;
}

export function membersIn(board: Board): Chosen<BoardMember> {
  const items = filtered(board, 'members', board.snapshot.members, ({ name, record, model }) =>
    [name, record?.state, record?.waitingFor, record?.activity, model].join(' '),
  );
  return chosenOf(items, ({ name }) => name, board.chosen);
}

/** The member that keys are about; none where a filter leaves none. */
export function chosenMember(board: Board): BoardMember | undefined {
  const { items, at } = membersIn(board);
  return items[at];
}

/** The member whose transcript is shown. */
export function readMember(board: Board): string | undefined {
  return chosenMember(board)?.name ?? board.chosen ?? board.snapshot.members[0]?.name;
}

export function waitingIn(board: Board): Chosen<Waiting> {
  const items = filtered(board, 'waiting', board.snapshot.waiting, (waiting) =>
    [waiting.from, waitingWords(waiting)].join(' '),
  );
  return chosenOf(items, ({ id }) => id, board.cursors.waiting);
}

export function tasksIn(board: Board): Chosen<BoardTask> {
  const items = filtered(board, 'tasks', board.snapshot.tasks, ({ id, subject, owner, status }) =>
    [`#${id}`, subject, owner, status.replace('_', ' ')].join(' '),
  );
  const next = items.find(({ status }) => status !== 'completed')?.id;
  return chosenOf(items, ({ id }) => id, board.cursors.tasks ?? next);
}

export function messagesIn(board: Board): Chosen<BoardMessage> {
  const items = filtered(board, 'messages', board.snapshot.messages, ({ from, to, summary, text }) =>
    [from, to, summary, text].join(' '),
  );
  return chosenOf(items, ({ id }) => id, board.cursors.messages);
}

export function transcriptIn(board: Board): readonly string[] {
  return filtered(board, 'transcript', board.snapshot.transcript.lines, (line) => line);
}

/** What waits, in words of any length. */
export function waitingWords(waiting: Waiting): string {
  if (waiting.kind === 'question') return waiting.question;
  const { description, plan, tool } = waiting.request;
  return description ?? plan ?? tool ?? '';
}

/** The thing that is chosen in a pane. */
export function thingIn(board: Board, pane: Pane): Thing | undefined {
  switch (pane) {
    case 'waiting': {
      const { items, at } = waitingIn(board);
      const waiting = items[at];
      return waiting && { kind: 'waiting', waiting };
    }
    case 'tasks': {
      const { items, at } = tasksIn(board);
      const task = items[at];
      return task && { kind: 'task', task };
    }
    case 'messages': {
      const { items, at } = messagesIn(board);
      const message = items[at];
      return message && { kind: 'message', message };
    }
    default: {
      const member = chosenMember(board);
      return member && { kind: 'member', member };
    }
  }
}

/** What waits for a person that a key is about: what is chosen among it, else the first of the chosen member. */
export function waitingChosen(board: Board): Waiting | undefined {
  if (board.focus === 'waiting') {
    const { items, at } = waitingIn(board);
    return items[at];
  }
  const name = chosenMember(board)?.name;
  return board.snapshot.waiting.find(({ from }) => from === name);
}

function filtered<T>(board: Board, pane: Pane, items: readonly T[], words: (item: T) => string): readonly T[] {
  const filter = board.filters[pane]?.toLowerCase();
  return filter ? items.filter((item) => words(item).toLowerCase().includes(filter)) : items;
}

function chosenOf<T>(items: readonly T[], idOf: (item: T) => string, id: string | undefined): Chosen<T> {
  const at = items.findIndex((item) => idOf(item) === id);
  return { items, at: at < 0 ? Math.min(0, items.length - 1) : at };
}
