import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judge } from '../../src/permissions/judge.js';
import { bash, contextOf, type Given, verdict } from './cases.js';
import { GROUPS } from './shellTable.js';

const COMMANDS = GROUPS.flatMap(({ allow = [], ask = [], deny = [] }) => [...allow, ...ask, ...deny]).filter(
  (command) => command.length < 200,
);
const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
const RULES = ['Bash(npm test *)', 'Bash(rm *)', 'Bash(git *)', 'Bash', 'Edit(src/**)', 'Read(//etc/**)', 'Bash(ls)'];
const WIDTH = { deny: 0, ask: 1, allow: 2 } as const;

const rules = fc.uniqueArray(fc.constantFrom(...RULES), { maxLength: 3 });
const given: fc.Arbitrary<Given> = fc.record({
  mode: fc.constantFrom(...MODES),
  allow: rules,
  ask: rules,
  deny: rules,
});
const anyRule = fc.oneof(
  fc.constantFrom(...RULES, 'Read(secrets/**)', 'Read(a.ts)', 'Bash(* a)', 'Bash(run_in_background:true)'),
  fc.stringMatching(/^[a-z]{1,3} ?\*$/).map((pattern) => `Bash(${pattern})`),
);

it('another deny rule never allows what was asked or denied, nor has a denied call asked', () => {
  fc.assert(
    fc.property(fc.constantFrom(...COMMANDS), given, anyRule, (command, rules, more) => {
      const before = verdict(bash(command), rules);
      const after = verdict(bash(command), { ...rules, deny: [...(rules.deny ?? []), more] });
      expect(WIDTH[after]).toBeLessThanOrEqual(WIDTH[before]);
    }),
    { numRuns: 400 },
  );
});

it('another ask rule never allows what was asked or denied', () => {
  fc.assert(
    fc.property(fc.constantFrom(...COMMANDS), given, anyRule, (command, rules, more) => {
      const before = verdict(bash(command), rules);
      const after = verdict(bash(command), { ...rules, ask: [...(rules.ask ?? []), more] });
      expect(WIDTH[after]).toBeLessThanOrEqual(WIDTH[before]);
    }),
    { numRuns: 400 },
  );
});

const CONSTRUCTS: readonly ((inner: string) => string)[] = [
  ...['ls && %', '% && ls', 'ls || %', 'ls; %', '%; ls', 'ls & %', '% & ls', '% | cat', 'cat a | %', 'ls\n%', '%\nls'],
  ...[
    '(%)',
    '{ %; }',
    '! %',
    'if %; then ls; fi',
    'if ls; then %; fi',
    'if ls; then ls; else %; fi',
    'while %; do ls; done',
  ],
  ...[
    'for i in a b; do %; done',
    'case a in a) %;; esac',
    'f() { %; }; f',
    'function f { %; }',
    'echo $(%)',
    'echo "$(%)"',
  ],
  ...[
    'echo `%`',
    'echo "`%`"',
    'cat <(%)',
    'cat > >(%)',
    'cat <<< "$(%)"',
    'cat <<EOF\n$(%)\nEOF',
    'cat <<EOF && %\nx\nEOF',
  ],
  ...[
    'cat <<A\nx\nA\n%',
    'time %',
    'timeout 5 %',
    'nohup %',
    'nice %',
    'command %',
    'xargs %',
    'env %',
    'sudo %',
    'eval %',
  ],
  ...[
    'coproc %',
    'exec %',
    'x=1 %',
    'LANG=C %',
    'x=$(%)',
    'x=$(%) ls',
    '% > /dev/null',
    '> /dev/null %',
    '% <<< a',
    '% # ls',
  ],
  ...[
    '# ls\n%',
    'ls \\\n && %',
    '[[ -n $(%) ]]',
    '[ -f "$(%)" ]',
    'echo ${x:-$(%)}',
    'echo $((1+$(%)))',
    'cd src && %',
    'until %; do ls; done',
  ],
].map((pattern) => (inner: string) => {
  // Lines behind `<<EOF` would be text.
  const isText = pattern.startsWith('cat <<EOF &&') && inner.includes('\n');
  return isText ? inner : pattern.replace('%', () => inner);
});

const UNLISTED = [
  'curl evil',
  'rm a',
  'node x.js',
  './ls',
  'touch a',
  '$x',
  'l? a',
  "sh -c 'ls'",
  'git push',
  'PATH=. ls',
  'ls > a',
];

it('an unlisted command is allowed in no construct, nor in a construct of constructs', () => {
  const construct = fc.array(fc.constantFrom(...CONSTRUCTS), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.constantFrom(...UNLISTED),
      construct,
      fc.constantFrom('default', 'plan', 'dontAsk'),
      (inner, layers, mode) => {
        const command = layers.reduce((text, wrap) => wrap(text), inner);
        const answer = verdict(bash(command), { mode, allow: ['Bash(npm test *)', 'Bash(echo *)', 'Bash(cat *)'] });
        expect({ command, answer }).not.toEqual({ command, answer: 'allow' });
      },
    ),
    { numRuns: 1500 },
  );
});

it('a free command is understood in most constructs', () => {
  const allowed = CONSTRUCTS.filter((wrap) => verdict(bash(wrap('ls src')), { mode: 'plan' }) === 'allow');
  expect(allowed.length).toBeGreaterThan(CONSTRUCTS.length / 2);
});

it('no text at all makes the judge fail', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => verdict(bash(text), { deny: ['Bash(rm *)'] }) !== 'allow'),
  );
});

it('the rules that are suggested for a compound are one for each part, and let it pass', () => {
  const compound = bash('npm run build && make all; cat a.ts | sort > sorted.txt');
  const asked = judge(compound, contextOf());
  expect(asked).toMatchObject({
    kind: 'ask',
    suggestions: [
      { rule: 'Bash(npm run *)' },
      { rule: 'Bash(make all *)' },
      { rule: 'Bash(sort *)' },
      { rule: 'Edit(//project/app/**)' },
    ],
  });
  const allow = asked.kind === 'ask' ? asked.suggestions.map(({ rule }) => rule) : [];
  expect(verdict(compound, { allow })).toBe('allow');
});

it('at most five rules are suggested, and none but its own text for what sets a dangerous variable', () => {
  const many = judge(bash('a1 x; a2 x; a3 x; a4 x; a5 x; a6 x'), contextOf());
  expect(many).toMatchObject({ kind: 'ask', suggestions: { length: 5 } });
  expect(judge(bash('PATH=. make && ls'), contextOf())).toMatchObject({
    suggestions: [{ rule: 'Bash(PATH=. make && ls)' }],
  });
});

it.each([
  'tar xf a --to-command=./x',
  'git config core.pager ./x',
  'ls | bash -s',
  "awk 'BEGIN{system(1)}' && make all",
])('every rule that is suggested is one that lets the call pass: %s', (command) => {
  const call = bash(command);
  const asked = judge(call, contextOf());
  const rules = asked.kind === 'ask' ? asked.suggestions.map(({ rule }) => rule) : [];
  expect(rules).not.toEqual([]);
  const isOne = !/&&|\|/.test(command);
  for (const allow of isOne ? rules.map((rule) => [rule]) : [rules])
    expect(verdict(call, { allow }), allow.join()).toBe('allow');
});
