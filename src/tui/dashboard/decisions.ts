import { suggestedRules } from '../../team/requests.js';
import type { Ask, Board, Confirm, Thing } from './board.js';
import { chosenMember } from './lists.js';
import type { Waiting } from './snapshot.js';
import { isWholeSeen } from './views/things.js';

export type DecisionKey = 's' | 'x' | 'a' | 'A' | 'd' | 'r';

/** Begins what a key is about: a decision with all of it shown, a message, the end of a member. */
export function begun(board: Board, key: DecisionKey, waiting: Waiting | undefined): Board {
  const member = chosenMember(board)?.name;
  if (key === 's') return member === undefined ? board : asking(board, { for: 'send', to: member });
  if (key === 'x')
    return member === undefined
      ? board
      : confirming(board, { kind: 'confirm', act: { type: 'shutdown', member }, top: 0, isSeen: true });
  if (!waiting) return problem(board, `Nothing of ${member ?? 'anybody'} waits for you.`);
  if (waiting.kind === 'question')
    return problem(board, `A question is answered at the prompt of ${waiting.from}: /waiting shows it there.`);
  return onRequest(board, key, waiting);
}

function onRequest(board: Board, key: 'a' | 'A' | 'd' | 'r', waiting: Waiting & { kind: 'request' }): Board {
  const { id, request, from } = waiting;
  const thing: Thing = { kind: 'waiting', waiting };
  const isPlan = request.kind === 'plan';
  if (key === 'd' || key === 'r') return asking(board, { for: isPlan ? 'reject' : 'deny', id, from }, thing);
  if (key === 'A' && isPlan) return problem(board, 'A plan is approved once: press a.');
  if (key === 'A' && suggestedRules(request).length === 0)
    return problem(board, 'There is no rule that would allow just this call. Allow it once: press a.');
  const decision = isPlan ? ({ type: 'approve', id } as const) : ({ type: 'allow', id, always: key === 'A' } as const);
  return confirming(board, { kind: 'confirm', act: decision, thing, top: 0, isSeen: false });
}

function confirming(board: Board, confirm: Confirm): Board {
  return { ...board, overlay: { ...confirm, isSeen: isWholeSeen(board, confirm) } };
}

/** Asks for a line of text. */
export function asking(board: Board, what: Ask['what'], thing?: Thing, text = ''): Board {
  return { ...board, overlay: { kind: 'ask', what, text, thing, top: 0 } };
}

export function problem(board: Board, text: string): Board {
  return { ...board, notice: { text, isProblem: true } };
}
