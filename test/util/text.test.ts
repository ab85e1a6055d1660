import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createQueue } from '../../src/util/queue.js';
import { didYouMean, escapeXml, head, nearest, oneLine, shellLine, tail, wellFormed } from '../../src/util/text.js';
import { visible } from '../../src/util/visible.js';
import { measureFor } from '../../src/util/width.js';

const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', 'é', '漢', '👩‍💻') });
const size = fc.nat({ max: 12 });

test('head and tail cut at code points, never longer than asked and never a point shorter than needed', () => {
  fc.assert(
    fc.property(text, size, (whole, max) => {
      for (const [cut, fits] of [
        [head(whole, max), whole.startsWith(head(whole, max))],
        [tail(whole, max), whole.endsWith(tail(whole, max))],
      ] as const) {
        expect(fits).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(max, whole.length) - 1);
      }
    }),
  );
  expect([head('abc', 0), tail('abc', 0), head('', 5), tail('😀', 1)]).toEqual(['', '', '', '']);
});

test('one line is one line, within its bound, whole where it fits', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 12 }), (whole, max) => {
      const line = oneLine(whole, max);
      expect(line).not.toMatch(/[\n\r\t]/);
      expect(line.length).toBeLessThanOrEqual(max);
      expect(line.isWellFormed()).toBe(true);
    }),
  );
  expect([oneLine(' a\n\tb '), oneLine('abcdef', 4)]).toEqual(['a b', 'abc…']);
});

test('a lone surrogate becomes a character that survives UTF-8', () => {
  expect(wellFormed('a\ud800b')).toBe('a\ufffdb');
  expect(wellFormed('😀')).toBe('😀');
});

test('a slip is named, something else entirely is not', () => {
  expect(nearest('implementor', ['planner', 'implementer'])).toBe('implementer');
  expect(nearest('BOB', ['bob'])).toBe('bob');
  expect([nearest('x', []), nearest('reviewer', ['bob', 'alice'])]).toEqual([undefined, undefined]);
  expect([didYouMean('statsu', ['status']), didYouMean('zzzzzz', ['status'])]).toEqual([' Did you mean "status"?', '']);
});

test('escaped text holds no markup and comes back whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '>', '&', '"', 'a', ';') }), (raw) => {
      const escaped = escapeXml(raw);
      expect(escaped).not.toMatch(/[<>"]/);
      const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
      expect(escaped.replace(/&(\w+);/g, (_, name: string) => names[name] ?? '?')).toBe(raw);
    }),
  );
});

test('columns: wide characters take two, colours none, and plain text needs no table for that', async () => {
  const texts = ['abc', '漢字', '\x1b[31mred\x1b[0m'];
  expect(texts.map(await measureFor(texts))).toEqual([3, 4, 3]);
  expect((await measureFor(['abc']))('abc')).toBe(3);
});

test('a queue works in the order of arrival, one piece at a time, also behind one that failed', async () => {
  const queue = createQueue();
  const log: string[] = [];
  const piece = (name: string, ticks: number) => async () => {
    log.push(`${name} begins`);
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    log.push(`${name} ends`);
    return name;
  };
  const failing = queue.run(() => Promise.reject(new Error('no')));
  const rest = [queue.run(piece('a', 5)), queue.run(piece('b', 0))];
  expect(queue.waiting).toBe(3);
  await expect(failing).rejects.toThrow('no');
  expect(await Promise.all(rest)).toEqual(['a', 'b']);
  expect([log, queue.waiting]).toEqual([['a begins', 'a ends', 'b begins', 'b ends'], 0]);
});

test('a line for a shell comes out of that shell as the words that went in', () => {
  const words = ['tmux', '-S', '/tmp/a b', 'select-pane', '-t', '%0', ';', '=team', "it's", '$HOME', '`id`', '*', ''];
  expect(execFileSync('sh', ['-c', `printf '%s\\n' ${shellLine(words)}`], { encoding: 'utf8' })).toBe(
    `${words.join('\n')}\n`,
  );
});

test('what a terminal would obey is a word in a text that is shown, lines and tabs stay', () => {
  expect(visible('a\r\nb\tc é 日\n')).toBe('a\nb\tc é 日\n');
  expect(visible('rm x\r\x1b[2Kls\x07\x9b31m')).toBe('rm x\\x0d\\x1b[2Kls\\x07\\x9b31m');
  expect(visible('cat \u202etxt.exe\u2069 \u200fשלום')).toBe('cat \\u202etxt.exe\\u2069 \u200fשלום');
});
