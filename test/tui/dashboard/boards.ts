import { type Board, openBoard, type Size } from '../../../src/tui/dashboard/board.js';
import type { Key } from '../../../src/tui/dashboard/key.js';
import type {
  BoardMember,
  BoardMessage,
  BoardTask,
  TeamSnapshot,
  Waiting,
} from '../../../src/tui/dashboard/snapshot.js';
import { step } from '../../../src/tui/dashboard/state.js';
import { frameOf } from '../../../src/tui/dashboard/views/frame.js';

/** The moment of every snapshot in these tests. */
export const NOW = Date.parse('2026-03-04T10:20:30Z');

export function member(name: string, record: Partial<BoardMember['record']> = {}): BoardMember {
  return {
    name,
    color: 'blue',
    model: 'claude-sonnet-5',
    mode: 'default',
    place: '%1',
    record: {
      pid: 1,
      procStart: '1',
      generation: 1,
      state: 'idle',
      turns: 3,
      tokens: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
      costUsd: 0.25,
      counter: 1,
      heartbeat: NOW - 2000,
      ...record,
    },
  };
}

export function task(id: string, more: Partial<BoardTask> = {}): BoardTask {
  return {
    id,
    subject: `Subject ${id}`,
    description: 'Why.',
    status: 'pending',
    blocks: [],
    blockedBy: [],
    waitsFor: [],
    ...more,
  };
}

export function message(id: string, more: Partial<BoardMessage> = {}): BoardMessage {
  return {
    id,
    from: 'bob',
    to: 'ann',
    at: '2026-03-04T10:20:00Z',
    isRead: true,
    summary: `About ${id}`,
    text: `All of ${id}`,
    ...more,
  };
}

export function permission(id: string, command: string, from = 'bob'): Waiting {
  const request = {
    id,
    kind: 'permission' as const,
    from,
    createdAt: NOW - 5000,
    tool: 'Bash',
    input: { command },
    description: `Bash: ${command.split('\n')[0]}`,
    suggestions: [{ rule: 'Bash(make *)' }],
  };
  return { id, kind: 'request', from, request };
}

export function plan(id: string, text: string, from = 'ann'): Waiting {
  return { id, kind: 'request', from, request: { id, kind: 'plan', from, createdAt: NOW - 9000, plan: text } };
}

export function snapshot(more: Partial<TeamSnapshot> = {}): TeamSnapshot {
  return {
    team: 'red',
    state: 'running',
    at: NOW,
    members: [member('team-lead'), member('bob'), member('ann')],
    tasks: [],
    messages: [],
    waiting: [],
    transcript: { path: '/t', lines: [], isCut: false },
    ...more,
  };
}

export const SMALL: Size = { columns: 80, rows: 24 };
export const WIDE: Size = { columns: 200, rows: 50 };

export const boardOf = (more: Partial<TeamSnapshot> = {}, size: Size = SMALL): Board => openBoard(snapshot(more), size);

/** The rows of the screen as a person reads them. */
export function screenOf(board: Board): string[] {
  return frameOf(board).map((row) => {
    let text = '';
    for (const { column, line } of row) text = text.padEnd(column) + line.map((span) => span.text).join('');
    return text.trimEnd();
  });
}

const NAMED = /^(up|down|pageup|pagedown|home|end|tab|backtab|enter|escape|backspace|ctrl-.)$/;
export const keyOf = (name: string): Key => (NAMED.test(name) ? { name } : { name, text: name });

/** The board after these keys, and what they wanted done. */
export function press(board: Board, ...names: readonly string[]) {
  const effects: unknown[] = [];
  let now = board;
  for (const name of names) {
    const { board: next, effect } = step(now, keyOf(name));
    now = next;
    if (effect) effects.push(effect.type === 'act' ? effect.act : effect.type);
  }
  return { board: now, effects };
}

export const typing = (text: string) => [...text];
