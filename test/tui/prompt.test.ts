import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openPrompt } from '../../src/tui/prompt.js';
import { shown } from '../../src/tui/shown.js';

/** A terminal of twenty columns, without a screen. */
function terminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 20 });
  const heard: string[] = [];
  const prompt = openPrompt(
    shown`me> `,
    {
      onLine: (line) => heard.push(line),
      onInterrupt: () => heard.push('(interrupt)'),
      onEnd: () => heard.push('(end)'),
    },
    { stdin, stdout },
  );
  return {
    heard,
    prompt,
    stdin,
    type: (keys: string) => stdin.emit('data', Buffer.from(keys)),
    drawn: () => String(stdout.read() ?? ''),
  };
}

const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`;

test('a paste of several lines is one text that waits for Enter; typed lines are one each', () => {
  const { heard, type } = terminal();
  type('one\rtwo\r');
  type(`see ${pasted('a\r/down\rb')}`);
  expect(heard).toEqual(['one', 'two']);
  type(' and c\r');
  expect(heard.slice(2)).toEqual(['see a\n/down\nb and c']);
  type('next\r');
  expect(heard.at(-1)).toBe('next');
});

test('Ctrl-C takes back what is typed or pasted; with nothing there it interrupts, as Esc would', () => {
  const { heard, type } = terminal();
  type(pasted('a\rb\r'));
  type('\x03');
  expect(heard).toEqual([]);
  type('\x03');
  expect(heard).toEqual(['(interrupt)']);
  type('c\r');
  expect(heard.at(-1)).toBe('c');
});

test('news is printed above all rows of what is being typed, which stays', () => {
  const { prompt, type, drawn } = terminal();
  type('x'.repeat(30));
  for (const news of ['one', 'two']) {
    drawn();
    prompt.print(shown`${news}`);
    expect(drawn()).toBe(`\r\x1b[1A\x1b[J${news}\n\x1b[1G\x1b[0Jme> ${'x'.repeat(30)}\x1b[15G`);
  }
});

test('what Ctrl-C takes back stays on the screen, all rows of it', () => {
  const { prompt, type, drawn } = terminal();
  type('x'.repeat(30));
  prompt.print(shown`news`);
  drawn();
  type('\x03');
  expect(drawn().split('^C\n')[1]).not.toContain('\x1b[1A');
});

test('the terminal tells of pastes only while there is a prompt', () => {
  const { prompt, drawn } = terminal();
  expect(drawn()).toContain('\x1b[?2004h');
  prompt.close();
  expect(drawn()).toContain('\x1b[?2004l');
});

test('while the terminal is lent nothing is read or printed; what was to be said comes behind it', async () => {
  const { prompt, type, heard, drawn } = terminal();
  let giveBack = () => {};
  const lent = prompt.lend(() => new Promise<void>((resolve) => (giveBack = resolve)));
  drawn();
  prompt.print(shown`held`);
  type('q\r');
  expect([heard, drawn()]).toEqual([[], '']);
  giveBack();
  await lent;
  expect(drawn()).toMatch(/held\n[^\n]*me> /);
  type('again\r');
  expect(heard).toEqual(['again']);
});

test('who closes the prompt while the terminal is lent reads what was held, and has no prompt', async () => {
  const { prompt, type, heard, drawn } = terminal();
  await prompt.lend(async () => {
    prompt.print(shown`last words`);
    prompt.close();
    drawn();
  });
  expect(drawn()).toBe('last words\n');
  type('x\r');
  expect(heard).toEqual([]);
});

test('a terminal that went away while it was lent is told of when it comes back', async () => {
  const { prompt, stdin, heard } = terminal();
  await prompt.lend(async () => void stdin.destroy());
  expect(heard).toEqual(['(end)']);
});

/** The rows that stand on the screen after all of that was drawn, without colours; only what a prompt sends is known. */
function rowsAfter(drawn: string, columns = 20): string[] {
  const rows = [''];
  let at = { row: 0, column: 0 };
  for (const [token] of drawn.matchAll(/\x1b\[\??([\d;]*)([A-Za-z])|[\s\S]/g)) {
    const [, count, command] = /^\x1b\[\??([\d;]*)([A-Za-z])$/.exec(token) ?? [];
    if (command === 'A') at = { ...at, row: Math.max(0, at.row - Number(count)) };
    else if (command === 'G') at = { ...at, column: Number(count) - 1 };
    else if (command === 'J') {
      rows.splice(at.row + 1);
      rows[at.row] = (rows[at.row] ?? '').slice(0, at.column);
    } else if (token === '\r') at = { ...at, column: 0 };
    else if (token === '\n') at = { row: at.row + 1, column: 0 };
    else if (command === undefined) {
      if (at.column === columns) at = { row: at.row + 1, column: 0 };
      rows[at.row] = (rows[at.row] ?? '').padEnd(at.column).slice(0, at.column) + token;
      at = { ...at, column: at.column + 1 };
    }
    while (rows.length <= at.row) rows.push('');
  }
  return rows.map((row) => row.trimEnd());
}

/** What stands on the screen by now. */
function screenOf(drawn: () => string): () => string[] {
  const all: string[] = [];
  return () => {
    all.push(drawn());
    return rowsAfter(all.join(''));
  };
}

test('the status stands above what is typed, and is drawn anew in place', () => {
  const { prompt, type, drawn } = terminal();
  const screen = screenOf(drawn);
  type('ab');
  prompt.setStatus(() => [shown`one`, shown`two`]);
  expect(screen()).toEqual(['one', 'two', 'me> ab']);
  prompt.print(shown`news`);
  type('c');
  prompt.setStatus((columns) => [shown`${String(columns)}`]);
  expect(screen()).toEqual(['news', '20', 'me> abc']);
  type('x'.repeat(30));
  prompt.print(shown`more`);
  prompt.setStatus(() => [shown`3`]);
  expect(screen()).toEqual(['news', 'more', '3', `me> abc${'x'.repeat(13)}`, 'x'.repeat(17)]);
  prompt.setStatus(() => []);
  expect(screen()).toEqual(['news', 'more', `me> abc${'x'.repeat(13)}`, 'x'.repeat(17)]);
});

test('of what was said before only the words stay on the screen, and not the status above them', () => {
  const { prompt, type, drawn, heard } = terminal();
  const screen = screenOf(drawn);
  prompt.setStatus(() => [shown`status`]);
  type(`${'x'.repeat(30)}\rb\r`);
  expect(screen()).toEqual([`me> ${'x'.repeat(16)}`, 'x'.repeat(14), 'me> b', 'status', 'me>']);
  type('typed\x03');
  expect(screen().slice(3)).toEqual(['me> typed^C', 'status', 'me>']);
  type(`${pasted('p\rq')}\r`);
  expect(screen().slice(4)).toEqual(['me> p', '… q', 'status', 'me>']);
  expect(heard).toEqual(['x'.repeat(30), 'b', 'p\nq']);
});

test('the status is there again after the terminal was lent, as it was set meanwhile', async () => {
  const { prompt, drawn } = terminal();
  prompt.setStatus(() => [shown`before`]);
  await prompt.lend(async () => {
    drawn();
    prompt.setStatus(() => [shown`after`]);
    expect(drawn()).toBe('');
  });
  expect(rowsAfter(drawn())).toEqual(['after', 'me>']);
});

test('where nobody has a terminal there is no status', () => {
  const stdout = new PassThrough();
  const handlers = { onLine: () => {}, onInterrupt: () => {}, onEnd: () => {} };
  const prompt = openPrompt(shown`me> `, handlers, { stdin: new PassThrough(), stdout });
  prompt.setStatus(() => [shown`status`]);
  prompt.print(shown`news`);
  expect(String(stdout.read())).not.toContain('status');
  prompt.close();
});
