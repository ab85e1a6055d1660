import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { Key } from '../../../src/tui/dashboard/key.js';
import { openScreen, screenProblem } from '../../../src/tui/dashboard/screen.js';
import type { Frame } from '../../../src/tui/dashboard/views/frame.js';
import { theme } from '../../../src/tui/theme.js';
import { eventually } from '../../helpers/eventually.js';
import { fakeClock } from '../../helpers/fakeClock.js';
import { fakeTerminal } from './fakeTerminal.js';

function opened({ isAscii = false, colored = false } = {}) {
  const terminal = fakeTerminal();
  const keys: Key[] = [];
  const told: string[] = [];
  const screen = openScreen(
    { onKey: (key) => keys.push(key), onResize: () => told.push('resize'), onGone: () => told.push('gone') },
    { theme: theme(colored), isAscii },
    fakeClock(),
    terminal.streams,
  );
  return { ...terminal, screen, keys, told };
}

const rows = (...texts: string[]): Frame => texts.map((text) => [{ column: 0, line: [{ text }] }]);

test('the terminal is taken with its own page and given back as it was, once', () => {
  const { screen, drawn, raw } = opened();
  expect(drawn()).toBe('\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[2J');
  screen.close();
  screen.close();
  expect(drawn()).toBe('\x1b[m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l');
  expect(raw).toEqual([true, false]);
  screen.draw(rows('too late'));
  expect(drawn()).toBe('');
});

test('nothing of ours is left listening', () => {
  const events = ['SIGTSTP', 'SIGCONT', 'exit', 'uncaughtExceptionMonitor'];
  const count = () => events.map((event) => process.listenerCount(event));
  const before = count();
  const { screen } = opened();
  expect(count()).not.toEqual(before);
  screen.close();
  expect(count()).toEqual(before);
});

test('a crash gives the terminal back before its words are printed', () => {
  const { screen, drawn } = opened();
  drawn();
  const events: NodeJS.EventEmitter = process;
  events.emit('uncaughtExceptionMonitor', new Error('x'), 'uncaughtException');
  expect(drawn()).toContain('\x1b[?1049l');
  screen.close();
});

test('only rows that have changed are drawn, each piece at its column', () => {
  const { screen, drawn } = opened();
  screen.draw(rows('one', 'two'));
  drawn();
  screen.draw(rows('one', 'three'));
  expect(drawn()).toBe('\x1b[2;1H\x1b[2K\x1b[1Gthree');
  screen.draw(rows('one', 'three'));
  expect(drawn()).toBe('');
  screen.draw([
    [
      { column: 0, line: [{ text: 'a' }] },
      { column: 9, line: [{ text: 'b' }] },
    ],
    [],
  ]);
  expect(drawn()).toBe('\x1b[1;1H\x1b[2K\x1b[1Ga\x1b[10Gb\x1b[2;1H\x1b[2K');
  screen.close();
});

test('a terminal that takes nothing is not written to, and gets the newest frame when it does', () => {
  const { screen, drawn, stdout } = opened();
  drawn();
  const isFull = Object.defineProperty(stdout, 'writableNeedDrain', { value: true, configurable: true });
  screen.draw(rows('old'));
  screen.draw(rows('new'));
  expect(drawn()).toBe('');
  Object.defineProperty(isFull, 'writableNeedDrain', { value: false });
  stdout.emit('drain');
  expect(drawn()).toBe('\x1b[1;1H\x1b[2K\x1b[1Gnew');
  screen.close();
});

test('a new size is told, and all is drawn again', () => {
  const { screen, drawn, stdout, told } = opened();
  screen.draw(rows('one'));
  drawn();
  Object.assign(stdout, { columns: 40, rows: 10 });
  stdout.emit('resize');
  expect(told).toEqual(['resize']);
  expect(screen.size()).toEqual({ columns: 40, rows: 10 });
  screen.draw(rows('one'));
  expect(drawn()).toBe('\x1b[2J\x1b[1;1H\x1b[2K\x1b[1Gone');
  screen.close();
});

test('colours are only there when they are wanted, and only ASCII where the locale knows no more', () => {
  const styled: Frame = [[{ column: 0, line: [{ text: '▸ bob', style: 'strong' }] }]];
  const draws = (options: Parameters<typeof opened>[0]) => {
    const { screen, drawn } = opened(options);
    drawn();
    screen.draw(styled);
    const text = drawn();
    screen.close();
    return text;
  };
  expect(draws({})).toMatch(/G▸ bob$/);
  expect(draws({ colored: true })).toContain('\x1b[1m▸ bob');
  expect(draws({ isAscii: true })).toMatch(/G> bob$/);
});

test('keys have names, characters are themselves, Esc is a key soon, and a paste is words', async () => {
  const { screen, keys, type } = opened();
  type('aAé?\r\t\x7f\x03');
  type('\x1b[A\x1b[B\x1b[5~\x1b[H\x1b[Z\x1bOB ');
  type('\x1b[200~q\ry\x1b[201~');
  expect(keys.map(({ name }) => name)).toEqual([
    'a',
    'A',
    'é',
    '?',
    'enter',
    'tab',
    'backspace',
    'ctrl-c',
    'up',
    'down',
    'pageup',
    'home',
    'backtab',
    'down',
    ' ',
    'paste',
  ]);
  expect(keys.filter(({ text }) => text !== undefined).map(({ text }) => text)).toEqual([
    'a',
    'A',
    'é',
    '?',
    ' ',
    'q\ry',
  ]);
  type('\x1b');
  await eventually(() => expect(keys.at(-1)).toEqual({ name: 'escape' }));
  screen.close();
});

test('a terminal that goes away is told', () => {
  const { screen, told, stdin } = opened();
  stdin.emit('end');
  expect(told).toEqual(['gone']);
  screen.close();
});

test('no terminal, or one that cannot be drawn in, is a reason not to begin', () => {
  const { streams, screen } = opened();
  screen.close();
  expect(screenProblem({ TERM: 'xterm' }, streams)).toBeUndefined();
  expect(screenProblem({ TERM: 'dumb' }, streams)).toContain('dumb');
  expect(screenProblem({}, { stdin: new PassThrough(), stdout: streams.stdout })).toContain('needs a terminal');
});
