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
