import { expect, test } from 'vitest';
import { cardLines, questionLines } from '../../src/app/members/cards.js';
import type { TeamRequest } from '../../src/team/requests.js';
import { theme } from '../../src/tui/theme.js';

const look = theme(false);
const id = '01a23250-55dc-7237-954e-a3e727b0419d';
const asked = (request: Partial<TeamRequest>): TeamRequest => ({
  id,
  kind: 'permission',
  from: 'worker',
  createdAt: 0,
  ...request,
});
const card = (request: Partial<TeamRequest>) => cardLines(asked(request), undefined, look).map(String);

test('a card shows what is asked for, the words to answer with, and what "always" would write', () => {
  const suggestions = [{ rule: 'Bash(npm test *)' }];
  expect(card({ description: 'Bash: npm test', input: { command: 'npm test' }, suggestions })).toEqual([
    '[worker] asks: Bash: npm test',
    '  /allow 01a23250   /always 01a23250   /deny 01a23250 [reason]',
    '  always: Bash(npm test *)',
  ]);
});

test('a command of which a line would hide something is shown whole: nobody allows what they have not seen', () => {
  const long = `echo ${'x'.repeat(200)}; rm -rf build`;
  expect(card({ description: `Bash: ${long}`, input: { command: long } })[1]).toBe(`  │ ${long}`);
  const command = '# only looks\nrm -rf build';
  expect(card({ description: 'Bash: # only looks rm -rf build', input: { command } }).slice(1, 3)).toEqual([
    '  │ # only looks',
    '  │ rm -rf build',
  ]);
});

test('a card shows what would be written: a difference, else the text, as much as fits and how to see the rest', () => {
  const write = { tool: 'Write', description: 'Write /repo/a.txt' };
  const preview = '@@ -1 +1 @@\n-one\n+two';
  const input = { file_path: 'a.txt', content: 'two\n' };
  expect(card({ ...write, input, preview }).slice(0, 5)).toEqual([
    '[worker] asks: Write /repo/a.txt',
    '  │ @@ -1 +1 @@',
    '  │ -one',
    '  │ +two',
    '  /allow 01a23250   /deny 01a23250 [reason]',
  ]);
  const content = Array.from({ length: 160 }, (_, index) => `line ${index}`).join('\n');
  const long = card({ ...write, input: { file_path: '/repo/a.txt', content } });
  expect(long).toHaveLength(43);
  expect(long.slice(0, 3)).toEqual(['[worker] asks: Write /repo/a.txt', '  │ content:', '  │   line 0']);
  expect(long[41]).toBe('  │ … 121 more lines: /show 01a23250');
  const wide = card({ ...write, input: { content: 'x'.repeat(5_000) } });
  expect(wide[1]?.length).toBeLessThan(400);
  expect(wide[2]).toBe('  │ … more of long lines: /show 01a23250');
});

test('every field that the line about a call does not tell is on its card, whatever the tool', () => {
  const input = { url: 'https://x.test', prompt: 'sum up', command: 'drop', deep: { on: true }, short: 'a' };
  expect(card({ tool: 'mcp__db__run', description: 'mcp__db__run https://x.test', input }).slice(1, 8)).toEqual([
    '  │ prompt: sum up',
    '  │ command: drop',
    '  │ deep:',
    '  │   {',
    '  │    "on": true',
    '  │   }',
    '  │ short: a',
  ]);
});

test('no card is redrawn by what is asked in it', () => {
  const redraw = 'ls\x1b[1A\x1b[2K\r[worker] asks: ls';
  const lines = [
    ...card({ description: `Bash: ${redraw}`, input: { command: redraw } }),
    ...card({ tool: 'Write', description: 'Write a', input: { content: redraw }, preview: `+${redraw}` }),
    ...card({ tool: 'Write', description: 'Write a', input: { [redraw]: redraw } }),
    ...card({ kind: 'plan', plan: `One.\r\n${redraw}\x08\x08` }),
    ...questionLines(
      {
        id: 'q1',
        header: redraw,
        question: redraw,
        options: [{ label: redraw, description: redraw }],
        multiSelect: false,
      },
      look,
    ).map(String),
  ];
  for (const line of lines) expect(line).not.toMatch(/[\x00-\x1f]/);
  expect(lines).toContain('  │ One.');
});
