import { suggestedRules } from '../../../team/requests.js';
import type { Board } from '../board.js';
import { waitingChosen } from '../lists.js';

/** The keys that matter where the person is, most important first. What does not fit is cut off. */
export function keysFor(board: Board): string {
  const { overlay, focus, filters } = board;
  if (overlay?.kind === 'confirm') return 'y yes · n no · Space, ↑ ↓ scroll';
  if (overlay?.kind === 'ask') return 'Enter done · Esc never mind';
  const waiting =
    overlay?.kind === 'open'
      ? overlay.thing.kind === 'waiting'
        ? overlay.thing.waiting
        : undefined
      : waitingChosen(board);
  const decide =
    waiting?.kind !== 'request'
      ? []
      : waiting.request.kind === 'plan'
        ? ['a approve', 'r reject']
        : ['a allow', ...(suggestedRules(waiting.request).length > 0 ? ['A always'] : []), 'd deny'];
  if (overlay) return ['q back', '↑ ↓ Space scroll', ...decide].join(' · ');
  const enter = focus === 'transcript' ? [] : [focus === 'members' ? 'Enter transcript' : 'Enter open'];
  const move = focus === 'transcript' ? '↑ ↓ scroll' : '↑ ↓ choose';
  const clear = filters[focus] === undefined ? [] : ['Esc shows all'];
  return [
    'q leave',
    '? keys',
    ...clear,
    ...decide,
    'Tab next pane',
    move,
    ...enter,
    ...(board.snapshot.state === 'archived' ? [] : ['s send', 'i interrupt', 'x shutdown']),
    '/ filter',
  ].join(' · ');
}
