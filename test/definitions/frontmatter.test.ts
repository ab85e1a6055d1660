import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseFrontMatter } from '../../src/definitions/frontmatter.js';

const parse = (text: string) => parseFrontMatter(text, 'a.md');

describe('a byte order mark, CRLF and a colon make no difference', () => {
  const lines = (colon: boolean) => [
    '---',
    'name: a',
    `description: Use when${colon ? ': ' : ' '}b, c`,
    'model: haiku',
    '---',
    'Body',
    'more',
    '',
  ];
  for (const end of ['\n', '\r\n', '\r'])
    for (const mark of ['', '\uFEFF'])
      for (const colon of [true, false])
        test(`${JSON.stringify(end)} ${mark === '' ? 'without' : 'with'} mark, ${colon ? 'with' : 'without'} colon`, async () => {
          const { data, body, bodyLine } = await parse(mark + lines(colon).join(end));
          expect(data).toEqual({ name: 'a', description: `Use when${colon ? ': ' : ' '}b, c`, model: 'haiku' });
          expect({ body, bodyLine }).toEqual({ body: 'Body\nmore', bodyLine: 6 });
        });
});

test('the colon fallback keeps quotes, backslashes and a later colon as they were written', async () => {
  const { data } = await parse('---\ndescription: say "x: y" or C:\\new: z   \nmembers:\n  - prompt: do: this\n---\n');
  expect(data).toEqual({ description: 'say "x: y" or C:\\new: z', members: [{ prompt: 'do: this' }] });
});

test('long values in all of YAML’s ways load whole', async () => {
  const { data } = await parse('---\na: |\n  one: 1\n  two\nb: >\n  three\n  four\nc: five\n  six\n---\n');
  expect(data).toEqual({ a: 'one: 1\ntwo\n', b: 'three four\n', c: 'five six' });
});

test.each([
  ['text without front matter', 'name: a\n', 1, 'must be its first line'],
  ['front matter below a blank line', '\n---\nname: a\n---\n', 1, 'must be its first line'],
  ['front matter that is not closed', '---\nname: a\n', 1, 'not closed'],
  [
    'unindented example tags',
    '---\nname: a\ndescription: Use it\n<example>\nuser: hello\n</example>\n---\n',
    4,
    'not YAML',
  ],
  ['the same key twice', '---\nname: a\nname: b\n---\n', 3, 'not YAML'],
  ['an alias without its anchor', '---\nname: *nobody\n---\n', 2, 'not YAML'],
  [
    'aliases that multiply without end',
    `---\na: &a [x, x]\nb: &b [${'*a,'.repeat(90)}]\nc: [${'*b,'.repeat(90)}]\n---\n`,
    2,
    'not YAML',
  ],
  ['a list', '---\n- a\n---\n', 2, '"key: value" lines'],
  ['JavaScript', '---js\n{ name: "a" }\n---\n', 1, 'only YAML is read'],
  ['JSON', '---json\n{ "name": "a" }\n---\n', 1, 'only YAML is read'],
])('%s is refused with file, line and reason', async (_, text, line, reason) => {
  await expect(parse(text)).rejects.toMatchObject({
    name: 'UserError',
    file: 'a.md',
    line,
    reason: expect.stringContaining(reason),
  });
});

test.each(['js', 'javascript', ' js', 'coffee', 'JS'])(
  'front matter that calls itself %j is not executed',
  async (language) => {
    Object.assign(globalThis, { frontMatterRan: false });
    await expect(parse(`---${language}\n{ name: (globalThis.frontMatterRan = true, "a") }\n---\n`)).rejects.toThrow(
      'only YAML',
    );
    expect(globalThis).toMatchObject({ frontMatterRan: false });
  },
);

test('a tag that other YAML readers turn into a function stays text', async () => {
  const { data } = await parse('---\nname: !!js/function "function () {}"\n---\n');
  expect(data).toEqual({ name: 'function () {}' });
});

test('a key is found by its path, and a missing one by what is above it', async () => {
  const { lineOf } = await parse(
    '---\nname: a\nlead:\n  model: x\nmembers:\n  - name: b\n  - name: c\n    count: 2\n---\n',
  );
  expect([
    lineOf('name'),
    lineOf('lead', 'model'),
    lineOf('members', 1, 'count'),
    lineOf('members', 1, 'cwd'),
    lineOf('nothing'),
  ]).toEqual([2, 4, 8, 7, 1]);
});

test('what a YAML library writes is read back the same, under either line end', async () => {
  const keys = fc.stringMatching(/^[a-z]{1,8}$/);
  const values = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string()));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(keys, values, { minKeys: 1 }), fc.constantFrom('\n', '\r\n'), async (data, end) => {
      // A carriage return inside a value is a line end to every reader of such files.
      fc.pre(!JSON.stringify(data).includes('\\r'));
      const text = `---\n${stringify(data)}---\nBody\n`.replaceAll('\n', end);
      const parsed = await parse(text);
      expect({ data: parsed.data, body: parsed.body }).toEqual({ data: { ...data }, body: 'Body' });
    }),
    { numRuns: 200 },
  );
});

test('no text whatever makes it throw anything but a message for its author', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({
        unit: fc.constantFrom(
          '-',
          ':',
          ' ',
          '\n',
          '"',
          "'",
          '[',
          '{',
          '&',
          '*',
          '!',
          'a',
          '|',
          '>',
          '#',
          '%',
          '\t',
          '?',
        ),
      }),
      async (middle) => {
        await parse(`---\n${middle}\n---\nBody`).catch((error: unknown) =>
          expect(error).toMatchObject({ name: 'UserError', file: 'a.md' }),
        );
      },
    ),
    { numRuns: 1000 },
  );
});
