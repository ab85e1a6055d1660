import { describe, expect, test } from 'vitest';
import type { Board } from '../../../src/tui/dashboard/board.js';
import { chosenMember } from '../../../src/tui/dashboard/lists.js';
import { step, withNotice, withSize, withSnapshot } from '../../../src/tui/dashboard/state.js';
import { boardOf, member, message, permission, plan, press, screenOf, snapshot, task, typing, WIDE } from './boards.js';

const chosen = (board: Board) => chosenMember(board)?.name;
const lines = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `line ${index + from}.`);

describe('where the person looks', () => {
  test('arrows and j k choose a member, and stop at both ends', () => {
    const board = boardOf();
    expect(chosen(board)).toBe('team-lead');
    expect(chosen(press(board, 'down').board)).toBe('bob');
    expect(chosen(press(board, 'j', 'j', 'j', 'down').board)).toBe('ann');
    expect(chosen(press(board, 'G', 'k').board)).toBe('bob');
    expect(chosen(press(board, 'G', 'g', 'up').board)).toBe('team-lead');
  });

  test('a choice holds when others come before it, and falls on the first when its thing is gone', () => {
    const { board } = press(boardOf({ waiting: [plan('1', 'one'), plan('2', 'two')] }), 'tab', 'down', 'enter');
    const third = permission('3', 'make');
    const more = withSnapshot(board, snapshot({ waiting: [third, plan('1', 'one'), plan('2', 'two')] }));
    expect(screenOf(more).join('\n')).toContain('two');
    const { board: listed } = press(more, 'q');
    expect(screenOf(listed).find((row) => row.startsWith('▸ ann'))).toContain('two');
    const less = withSnapshot(listed, snapshot({ waiting: [third] }));
    expect(screenOf(less).find((row) => row.startsWith('▸ bob'))).toContain('make');
  });

  test('Tab goes round the panes, and a small terminal shows the one that was last looked at below the members', () => {
    const board = boardOf({ tasks: [task('7')], messages: [message('m')] });
    const focus = (...keys: string[]) => press(board, ...keys).board.focus;
    expect([focus('tab'), focus('tab', 'tab'), focus('backtab'), focus('left', 'right')]).toEqual([
      'waiting',
      'tasks',
      'transcript',
      'members',
    ]);
    expect(screenOf(press(board, 'tab', 'tab').board).join('\n')).toContain('Subject 7');
    expect(screenOf(press(board, 'tab', 'tab', 'backtab', 'backtab').board).join('\n')).toContain(
      'Nothing waits for you.',
    );
  });

  test('Enter opens a task or a message whole, and at a member its transcript', () => {
    const board = boardOf({
      tasks: [task('1', { status: 'completed' }), task('2', { owner: 'bob', waitsFor: ['3'] })],
      messages: [message('m')],
    });
    const opened = screenOf(press(board, 'tab', 'tab', 'enter').board).join('\n');
    // The first that is not done.
    expect(opened).toMatch(/Task 2: Subject 2\n pending, bob has it\n waits for #3\n\n Why\./);
    expect(screenOf(press(board, 'tab', 'tab', 'tab', 'enter').board).join('\n')).toContain('All of m');
    expect(press(board, 'enter').board.focus).toBe('transcript');
    expect(screenOf(press(board, 'o').board).join('\n')).toContain('model claude-sonnet-5, mode default, %1');
  });

  test('the transcript follows its end, stays where it was scrolled to while more comes, and End follows again', () => {
    const transcript = { path: '/t', lines: lines(100), isCut: false };
    const board = boardOf({ transcript });
    expect(screenOf(board)).toContain('  line 100.');
    const { board: back } = press(board, 'enter', 'up', 'up');
    expect(screenOf(back)).toContain('  line 98.');
    expect(screenOf(back)).not.toContain('  line 99.');
    const more = withSnapshot(back, snapshot({ transcript: { ...transcript, lines: lines(120) } }));
    expect(screenOf(more)).toContain('  line 98.');
    expect(screenOf(more)).not.toContain('  line 99.');
    expect(screenOf(more).join('\n')).toContain('22 rows back');
    expect(screenOf(press(more, 'end').board)).toContain('  line 120.');
    expect(screenOf(press(more, 'home').board)).toContain('  line 1.');
    expect(screenOf(press(more, 'home', 'pageup', 'up').board)).toContain('  line 1.');
    // Another member's begins at its end.
    const other = withSnapshot(more, snapshot({ transcript: { path: '/other', lines: lines(50), isCut: false } }));
    expect(screenOf(other)).toContain('  line 50.');
  });

  test('a filter leaves what has its words in it, in its pane alone, until Esc', () => {
    const board = boardOf({ tasks: [task('1'), task('2', { subject: 'Mend the Parser' })] });
    const { board: filtered } = press(board, 'tab', 'tab', '/', ...typing('parser'), 'enter');
    const shown = screenOf(filtered).join('\n');
    expect(shown).toContain('Mend the Parser');
    expect(shown).not.toContain('Subject 1');
    expect(shown).toContain('team-lead');
    expect(screenOf(press(filtered, 'escape').board).join('\n')).toContain('Subject 1');
    expect(screenOf(press(board, '/', ...typing('xyz'), 'enter').board).join('\n')).toContain(
      'Nothing has these words in it.',
    );
  });

  test('keys are about the member that is marked, also where a filter hides the one that was chosen before', () => {
    const { board } = press(boardOf(), 'down', '/', ...typing('ann'), 'enter');
    expect(screenOf(board).find((row) => row.startsWith('▸ ') && !row.includes('Members'))).toContain('ann');
    expect(press(board, 'i').effects).toEqual([{ type: 'interrupt', member: 'ann' }]);
    const { board: none } = press(board, '/', 'ctrl-u', ...typing('xyz'), 'enter');
    expect(press(none, 'i', 's', 'x', 'y').effects).toEqual([]);
  });

  test('q and Ctrl-C leave and want nothing else done; q in something open goes back', () => {
    expect(press(boardOf(), 'q').effects).toEqual(['leave']);
    expect(press(boardOf(), '?', 'q').effects).toEqual([]);
    expect(press(boardOf(), '?', 'ctrl-c').effects).toEqual(['leave']);
    expect(press(boardOf({}, { columns: 20, rows: 5 }), 'x', 'y', 'q').effects).toEqual(['leave']);
  });
});

describe('decisions', () => {
  const command = ['make clean', 'rm -rf /srv', ...lines(40)].join('\n');
  const asks = boardOf({
    waiting: [permission('p1', 'make all'), permission('p2', command, 'ann'), plan('q1', 'Dig.')],
  });

  test('nothing is allowed before all of it was on the screen, however often y is pressed', () => {
    const { board, effects } = press(asks, 'tab', 'down', 'a', 'y', 'y');
    expect(effects).toEqual([]);
    expect(screenOf(board).join('\n')).toContain('There is more of it below');
    expect(screenOf(board)).toContain(' rm -rf /srv');
    const { board: half } = press(board, ' ', 'y');
    const rest = press(half, ' ', ' ', 'y');
    expect(rest.effects).toEqual([{ type: 'allow', id: 'p2', always: false }]);
    // Seen once is seen.
    expect(press(half, ' ', ' ', 'g', 'y').effects).toEqual(rest.effects);
  });

  test('what a large terminal shows at once has to be scrolled through in a small one', () => {
    const { board } = press(boardOf({ waiting: [permission('p', lines(30).join('\n'))] }, WIDE), 'tab');
    expect(press(board, 'a', 'y').effects).toEqual([{ type: 'allow', id: 'p', always: false }]);
    const small = withSize(board, { columns: 80, rows: 12 });
    expect(press(small, 'a', 'y').effects).toEqual([]);
  });

  test('a allows once, A such calls for ever with the rules shown, and n and Esc leave it', () => {
    expect(press(asks, 'tab', 'a', 'y').effects).toEqual([{ type: 'allow', id: 'p1', always: false }]);
    expect(press(asks, 'tab', 'A', 'y').effects).toEqual([{ type: 'allow', id: 'p1', always: true }]);
    expect(screenOf(press(asks, 'tab', 'A').board)).toContain('   Bash(make *)');
    expect(press(asks, 'tab', 'a', 'n').effects).toEqual([]);
    expect(press(asks, 'tab', 'a', 'escape', 'y').effects).toEqual([]);
    expect(press(asks, 'tab', 'a', 'enter', 'x').effects).toEqual([]);
  });

  test('where no rule would allow such calls, always is not offered', () => {
    const waiting = permission('p', 'make');
    const board = boardOf({
      waiting: waiting.kind === 'request' ? [{ ...waiting, request: { ...waiting.request, suggestions: [] } }] : [],
    });
    expect(screenOf(press(board, 'tab').board).at(-1)).toContain('a allow · d deny');
    const { board: told, effects } = press(board, 'tab', 'A', 'y');
    expect(effects).toEqual([]);
    expect(told.overlay).toBeUndefined();
    expect(screenOf(press(board, 'tab', 'A').board).join('\n')).toContain('There is no rule');
  });

  test('what was answered elsewhere meanwhile is still what was shown: another that waits is not allowed in its place', () => {
    const { board } = press(asks, 'tab', 'a');
    const later = withSnapshot(board, snapshot({ waiting: [permission('p2', 'rm x')] }));
    expect(press(later, 'y').effects).toEqual([{ type: 'allow', id: 'p1', always: false }]);
  });

  test('a plan is approved after yes, and rejected only with words', () => {
    const { board } = press(asks, 'tab', 'end');
    expect(press(board, 'a', 'y').effects).toEqual([{ type: 'approve', id: 'q1' }]);
    expect(screenOf(press(board, 'A').board).join('\n')).toContain('A plan is approved once');
    const { board: silent, effects } = press(board, 'r', 'enter');
    expect(effects).toEqual([]);
    expect(screenOf(silent).at(-1)).toContain('needs feedback');
    expect(press(silent, ...typing('smaller'), 'enter').effects).toEqual([
      { type: 'reject', id: 'q1', feedback: 'smaller' },
    ]);
  });

  test('a call is denied with a reason or without, and Esc takes it back', () => {
    expect(press(asks, 'tab', 'd', ...typing('not now'), 'enter').effects).toEqual([
      { type: 'deny', id: 'p1', reason: 'not now' },
    ]);
    expect(press(asks, 'tab', 'd', 'enter').effects).toEqual([{ type: 'deny', id: 'p1', reason: '' }]);
    expect(press(asks, 'tab', 'd', ...typing('no'), 'escape', 'enter').effects).toEqual([]);
  });

  test('at a member the keys are about what it asks; where it asks nothing, that is said', () => {
    expect(press(asks, 'down', 'a', 'y').effects).toEqual([{ type: 'allow', id: 'p1', always: false }]);
    expect(screenOf(press(asks, 'a').board).join('\n')).toContain('Nothing of team-lead waits for you.');
    const question = boardOf({ waiting: [{ id: 'q', kind: 'question', from: 'bob', question: 'Which?' }] });
    expect(screenOf(press(question, 'tab', 'a').board).join('\n')).toContain('answered at the prompt of bob');
  });

  test('the open thing is decided on by the same keys', () => {
    expect(press(asks, 'tab', 'enter', 'a', 'y').effects).toEqual([{ type: 'allow', id: 'p1', always: false }]);
    expect(press(asks, 'tab', 'enter', 'd', 'enter').effects).toEqual([{ type: 'deny', id: 'p1', reason: '' }]);
  });
});

describe('what else is wanted of a member', () => {
  test('s sends what is typed or pasted to the chosen member, with lines kept, and nothing where nothing was typed', () => {
    const { board } = press(boardOf(), 'down', 's', ...typing('ab cx'), 'backspace', 'ctrl-w', ...typing('é'));
    expect(press(board, 'enter').effects).toEqual([{ type: 'send', to: 'bob', text: 'ab é' }]);
    expect(press(board, 'ctrl-u', 'enter').effects).toEqual([]);
    const pasted = { name: 'paste', text: '\nq\ny' };
    const { board: more } = step(board, pasted);
    expect(press(more, 'enter').effects).toEqual([{ type: 'send', to: 'bob', text: 'ab é\nq\ny' }]);
    expect(step(boardOf(), pasted)).toEqual({ board: { ...boardOf(), notice: undefined } });
  });

  test('i interrupts at once, x asks first', () => {
    expect(press(boardOf(), 'down', 'i').effects).toEqual([{ type: 'interrupt', member: 'bob' }]);
    expect(press(boardOf(), 'down', 'x').effects).toEqual([]);
    expect(press(boardOf(), 'down', 'x', 'y').effects).toEqual([{ type: 'shutdown', member: 'bob' }]);
    expect(screenOf(press(boardOf(), 'down', 'x').board).join('\n')).toContain('Ask bob to end?');
  });

  test('what has come of it stays until the next key', () => {
    const told = withNotice(boardOf(), { text: 'Sent to bob.', isProblem: false });
    expect(screenOf(told).join('\n')).toContain('Sent to bob.');
    expect(screenOf(press(told, 'down').board).join('\n')).not.toContain('Sent to bob.');
  });

  test('a team of nobody is looked at without harm', () => {
    const nobody = boardOf({ members: [] });
    for (const key of ['down', 'enter', 'o', 'a', 'd', 's', 'i', 'x', 'tab', 'G'])
      expect(press(nobody, key, 'y', 'enter').effects, key).toEqual([]);
    expect(screenOf(nobody).join('\n')).toContain('Nobody is here.');
    expect(member('x').name).toBe('x');
  });
});
