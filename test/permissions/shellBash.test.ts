import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadShell, type ReadShell } from '../../src/permissions/shell/load.js';
import { layersOf } from '../../src/permissions/shell/runsOthers.js';
import { NUMBER, type Script, UNKNOWN } from '../../src/permissions/shell/script.js';
import { tempDir } from '../helpers/tempDir.js';

/** More of them, for a long search: `TROUPE_TEST_RUNS=5000`. */
const RUNS = Number(process.env['TROUPE_TEST_RUNS'] ?? 120);
const LIMIT = { timeout: 120_000 + 200 * RUNS };
const PROGRAMS = ['aa', 'bb', 'cc', 'rm', 'ls'];

let folder = '';
let calls = 0;
let read: ReadShell;
let dir: Awaited<ReturnType<typeof tempDir>>;

beforeAll(async () => {
  dir = await tempDir();
  folder = dir.path;
  read = await loadShell();
  mkdirSync(join(folder, 'bin'));
  for (const name of PROGRAMS) {
    // One append a call, so that calls that run side by side do not mix.
    const stub = `#!/bin/bash\nprintf -v line '%s\\x01' "\${0##*/}" "$@"\nprintf '%s\\0' "$line" >> "$RAN"\nexit $(( \${#line} % 2 ))\n`;
    writeFileSync(join(folder, 'bin', name), stub, { mode: 0o755 });
  }
});
afterAll(() => dir[Symbol.asyncDispose]());

/** The argument lists of all programs that bash ran. */
function ranBy(command: string): string[][] {
  const work = join(folder, 'work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  // One that outlives its shell writes where nobody looks any more.
  const ran = join(folder, `ran-${calls++}`);
  writeFileSync(ran, '');
  try {
    // Without its own children being waited for, those in the background would be missed.
    execFileSync('/bin/bash', ['-c', `${command}\nwait`], {
      cwd: work,
      env: { PATH: join(folder, 'bin'), HOME: work, RAN: ran },
      stdio: 'ignore',
      timeout: 5000,
    });
  } catch {
    // Its exit code does not matter.
  }
  return readFileSync(ran, 'utf8')
    .split('\0')
    .slice(0, -1)
    .map((line) => line.split('\x01').slice(0, -1));
}

/** Whether a part of the script says that these words may be run: an unknown word may be any number of them. */
function hasPart({ parts }: Script, ran: readonly string[]): boolean {
  const said = ran.join('\x01');
  const all = parts.flatMap((part) => layersOf(part.words));
  return all.some((words) => {
    const shape = words.map(({ text, isPattern, isHome, isStream }) =>
      isPattern || isHome || isStream ? UNKNOWN : text.replaceAll(NUMBER, UNKNOWN),
    );
    const source = shape
      .join('\x01')
      .replace(/[.+*?^${}()|[\]\\]/g, '\\$&')
      .replace(/\x01?\0/g, '[^]*');
    // A program that is not known may be any: nothing allows it.
    return shape[0]?.includes(UNKNOWN) || new RegExp(`^${source}$`).test(said);
  });
}

function check(command: string): 'not understood' | 'understood' {
  const script = read(command, { cwd: '/', home: '/' });
  if (!script.isUnderstood) return 'not understood';
  const missed = ranBy(command).filter((ran) => !hasPart(script, ran));
  expect({ command, missed }).toEqual({ command, missed: [] });
  return 'understood';
}

const word = fc.constantFrom(
  ...['aa', 'bb', 'rm', 'x', '-n', '1', "'a b'", '"c d"', '"$x"', '$x', '${x}', '\\;', "a'b'c", 'a\\ b', '"$(rm 1)"'],
  ...[
    '$(rm 2)',
    '`rm 3`',
    '{}',
    'a#b',
    '@{0}',
    '*',
    '~',
    "$'\\x61'",
    '"`rm 4`"',
    '<(rm 5)',
    '""',
    'é',
    '$((1+2))',
    '!',
    '=',
  ],
);
const command = fc
  .tuple(fc.constantFrom('aa', 'bb', 'cc', 'X=1 aa', '"aa"', "b''b", '\\cc'), fc.array(word, { maxLength: 3 }))
  .map(([name, words]) => [name, ...words].join(' '));
const redirect = fc.constantFrom(
  '',
  '',
  '',
  ' > f',
  ' 2>&1',
  ' < /dev/null',
  ' >| f g',
  ' &> f',
  ' <<< w',
  ' 2>f h',
  '>f',
);
const { statement } = fc.letrec<{ statement: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.tuple(command, redirect).map((both) => both.join('')),
    fc
      .tuple(
        tie('statement'),
        fc.constantFrom(' && ', ' || ', '; ', ' | ', ' |& ', ' & ', '\n', ';\n', ' \\\n && '),
        tie('statement'),
      )
      .map((all) => all.join('')),
    tie('statement').map((inner) => `( ${inner} )`),
    tie('statement').map((inner) => `{ ${inner}; }`),
    tie('statement').map((inner) => `! ${inner}`),
    tie('statement').map((inner) => `if ${inner}; then aa 1; else bb 2; fi`),
    tie('statement').map((inner) => `for x in 1 "2 3"; do ${inner}; done`),
    tie('statement').map((inner) => `case a in b) cc;; a|c) ${inner};; esac`),
    tie('statement').map((inner) => `f() { ${inner}; }; f 1`),
    tie('statement').map((inner) => `aa "$(${inner})" z`),
    tie('statement').map((inner) => `cc <<EOF\nline $(${inner}) 'q\nEOF\nbb after`),
    tie('statement').map((inner) => `cc <<'EOF' && bb behind\nline $(${inner})\nEOF\naa last`),
    tie('statement').map((inner) => `${inner} # $(rm no)\ncc`),
    tie('statement').map((inner) => `time ${inner}`),
    tie('statement').map((inner) => `coproc ${inner}`),
    tie('statement').map((inner) => `while aa 2 2; do ${inner}; break; done`),
  ),
}));

it('finds every program that bash runs, with its words, or says that it does not understand', LIMIT, () => {
  let understood = 0;

  fc.assert(
    fc.property(statement, (text) => {
      if (check(text) === 'understood') understood++;
    }),
    { numRuns: RUNS },
  );
  // A reader that understands nothing would pass as well.
  expect(understood).toBeGreaterThan(RUNS / 5);
});

it('is not misled by what looks like grammar and is not', LIMIT, () => {
  const piece = fc.constantFrom(
    ...[
      'aa',
      'rm',
      ' ',
      ' ',
      '  ',
      "'",
      '"',
      '\\',
      '$',
      '`',
      ';',
      '&',
      '|',
      '(',
      ')',
      '<',
      '>',
      '\n',
      '\t',
      '#',
      '=',
      '!',
    ],
    ...[
      '{',
      '}',
      '~',
      '@',
      '-',
      '%',
      '\r',
      '$x',
      '[',
      ']',
      '*',
      '?',
      '^',
      ',',
      ':',
      '1',
      '\\\n',
      '<<',
      '$(',
      '((',
      ']]',
      '[[ ',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      check(`aa ${pieces.join('')}`);
      check(`${pieces.join('')} aa`);
    }),
    { numRuns: RUNS },
  );
});
