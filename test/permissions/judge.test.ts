import { describe, expect, it, test } from 'vitest';
import { type Judged, judge, mayRead } from '../../src/permissions/judge.js';
import { bash, call, contextOf, edit, type Given, grep, other, read, verdict, write } from './cases.js';

type Kind = 'allow' | 'ask' | 'deny';
type Case = readonly [expected: Kind, what: Judged, given?: Given];

const app = '/project/app';
const git = { allow: ['Bash(git log *)'] };
const npm = { allow: ['Bash(npm test *)'] };
const noRm = { mode: 'bypassPermissions', deny: ['Bash(rm *)'] } as const;
const noPush = { mode: 'bypassPermissions', deny: ['Bash(git push *)'] } as const;
const noSecrets = { mode: 'acceptEdits', deny: ['Read(secrets/**)', 'Read(.env)'] } as const;
const plan = { mode: 'plan' } as const;
const edits = { mode: 'acceptEdits' } as const;
const never = { mode: 'dontAsk' } as const;
const bypass = { mode: 'bypassPermissions' } as const;

const resource = call('ReadMcpResource', { kind: 'other', specifier: 'db', server: 'mcp__db' });
const CASES: Readonly<Record<string, readonly Case[]>> = {
  'files in mode default': [
    ['allow', read(`${app}/src/a.ts`)],
    ['allow', read('/extra/a.ts')],
    ['allow', read('/docs/guide.md')],
    ['allow', read('/shared/x')],
    ['ask', read('/etc/passwd')],
    ['ask', read('/project/other/a.ts')],
    ['ask', read('/project/apple/a.ts')],
    ['ask', read(`${app}/link`, '/etc/passwd')],
    ['ask', write(`${app}/src/a.ts`)],
    ['allow', write('/shared/x')],
    ['ask', write('/docs/guide.md')],
    ['allow', write(`${app}/.claude/agent-memory/me/MEMORY.md`)],
    ['ask', write(`${app}/.claude/agent-memory/you/MEMORY.md`), edits],
  ],
  'files in the other modes': [
    ['allow', write(`${app}/src/a.ts`), edits],
    ['ask', write('/elsewhere/a.ts'), edits],
    ['ask', write(`${app}/link/a.ts`, '/elsewhere/a.ts'), edits],
    ['deny', write(`${app}/src/a.ts`), plan],
    ['allow', read(`${app}/src/a.ts`), plan],
    ['deny', write(`${app}/src/a.ts`), never],
    ['deny', read('/etc/passwd'), never],
    ['allow', read(`${app}/a`), never],
    ['allow', write('/elsewhere/a.ts'), bypass],
    ['allow', write(`${app}/src/a.ts`), { mode: 'auto' }],
    ['ask', write('/elsewhere/a.ts'), { mode: 'auto' }],
  ],
  'protected paths': [
    ['ask', write(`${app}/.git/hooks/pre-commit`), edits],
    ['ask', write(`${app}/.claude/settings.json`), edits],
    ['ask', write(`${app}/.Claude/agents/x.md`), edits],
    ['ask', write(`${app}/.mcp.json`), edits],
    ['ask', write(`${app}/sub/.envrc`), edits],
    ['ask', write('/extra/.bashrc'), edits],
    ['ask', write('/extra/.config/git/config'), edits],
    ['ask', write(`${app}/.git/config`), { ...edits, allow: ['Edit'] }],
    ['ask', write(`${app}/innocent`, `${app}/.git/config`), edits],
    ['deny', write(`${app}/.git/config`), never],
    ['allow', write(`${app}/.git/config`), bypass],
    ['allow', write(`${app}/.gitignore`), edits],
    ['allow', write(`${app}/.claude/worktrees/bob/src/a.ts`), edits],
    ['ask', write(`${app}/.claude/worktrees/bob/.claude/settings.json`), edits],
  ],
  "the program's own state": [
    ['deny', write('/home/u/.troupe/teams/red/config.json'), bypass],
    ['deny', write(`${app}/link`, '/home/u/.troupe/teams/red/inboxes/a.json'), bypass],
    ['deny', read('/home/u/.troupe/teams/red/launch/bob.json'), bypass],
    ['deny', read('/home/u/.troupe/settings.json')],
    ['allow', read('/home/u/.troupe/teams/red/plans/1.md')],
    ['allow', read('/home/u/.troupe/teams/red/files/1.txt'), plan],
    ['allow', read('/home/u/.troupe/sessions/1/tasks/2.output')],
    ['deny', read('/home/u/.troupe/teams/red/plans-other/1.md')],
    ['deny', bash('cat ~/.troupe/teams/red/launch/bob.json'), bypass],
    ['deny', bash('cd / && rm -rf "/home/u/.troupe"'), bypass],
    ['deny', bash('rm -rf $TROUPE_HOME/teams'), bypass],
    ['allow', bash('cat ~/.troupe/teams/red/plans/1.md'), plan],
  ],
  'rules for files': [
    ['allow', write(`${app}/src/a.ts`), { allow: ['Edit(src/**)'] }],
    ['ask', write(`${app}/lib/src/a.ts`), { allow: ['Edit(src/**)'] }],
    ['ask', write(`${app}/src/../../x`), { allow: ['Edit(src/**)'] }],
    ['allow', read('/elsewhere/a'), { allow: ['Read(//elsewhere/**)'] }],
    ['allow', grep('/elsewhere'), { allow: ['Read(//elsewhere/**)'] }],
    ['allow', read('/elsewhere/a'), { allow: ['Edit(//elsewhere/**)'] }],
    ['ask', edit('/elsewhere/a'), { allow: ['Read(//elsewhere/**)'] }],
    ['allow', read('/home/u/notes/a'), { allow: ['Read(~/notes/**)'] }],
    ['allow', read('/project/top.md'), { allow: ['Read(/top.md)'] }],
    ['ask', read('/project/sub/top.md'), { allow: ['Read(/top.md)'] }],
    ['ask', read('/elsewhere/a', '/etc/passwd'), { allow: ['Read(//elsewhere/**)'] }],
    ['deny', read(`${app}/a`, `${app}/secrets/key`), noSecrets],
    ['deny', read(`${app}/deep/secrets/key`), noSecrets],
    ['deny', read(`${app}/SECRETS/key`), noSecrets],
    ['deny', grep(`${app}/secrets`), noSecrets],
    ['deny', write(`${app}/secrets/key`), noSecrets],
    ['deny', read(`${app}/x/.env`), noSecrets],
    ['deny', read(`${app}/a`), { deny: ['Read'], allow: ['Read'] }],
    ['ask', read(`${app}/a`), { ask: ['Read(a)'], allow: ['Read'], mode: 'bypassPermissions' }],
  ],
  'commands that are always free': [
    ['allow', bash('ls -la src')],
    ['allow', bash("grep -rn '/api/users' src")],
    ['allow', bash('grep "a|b$" src/a.ts'.replace('$', ''))],
    ['allow', bash('git status --short'), plan],
    ['allow', bash('git log --oneline -5 HEAD~3..HEAD'), plan],
    ['allow', bash('git show stash@{0}'), plan],
    ['allow', bash('git branch -a'), plan],
    ['allow', bash('git --no-pager diff main...feature -- src/a.ts'), plan],
    ['allow', bash("find . -name '*.ts' -newer src/a.ts"), plan],
    ['allow', bash('cd src'), plan],
    ['allow', bash('cat < a'), plan],
    ['allow', bash('! ls'), plan],
    ['allow', bash('time ls'), plan],
    ['allow', bash("$'ls'"), plan],
    ['ask', bash('cat /etc/passwd'), plan],
    ['ask', bash('cat ../../etc/passwd')],
    ['ask', bash('cat link', { [`${app}/link`]: '/etc/passwd' })],
    ['ask', bash('grep -f/etc/shadow x')],
    ['ask', bash('grep --file=/etc/shadow x')],
    ['ask', bash('grep -e x /etc/shadow')],
    ['ask', bash('cat ~/.ssh/id_rsa')],
    ['ask', bash('cd')],
    ['ask', bash('git -C /elsewhere log')],
    ['deny', bash('cat secrets/key'), noSecrets],
    ['deny', bash('cat x/./secrets/key'), noSecrets],
    ['deny', bash("cat sec''rets/key"), noSecrets],
    ['deny', bash('cat harmless', { [`${app}/harmless`]: `${app}/secrets/key` }), noSecrets],
    ['deny', bash('git show HEAD:secrets/key'), noSecrets],
    ['ask', bash('grep -rn key .'), noSecrets],
    ['ask', bash('grep --recursive key'), noSecrets],
    ['ask', bash('diff . ../app'), noSecrets],
    ['allow', bash('grep -n key a.ts'), noSecrets],
    ['allow', bash('grep -rn key .'), edits],
    ['deny', bash('npm run x && cat ./secrets/key'), { ...noSecrets, mode: 'bypassPermissions' }],
  ],
  'commands that only look free': [
    ['deny', bash('ls; rm a'), plan],
    ['deny', bash('ls && rm a'), plan],
    ['deny', bash('ls & rm a'), plan],
    ['deny', bash('ls\nrm a'), plan],
    ['deny', bash('ls | tee a'), plan],
    ['deny', bash('echo x > a'), plan],
    ['deny', bash('ls $(rm a)'), plan],
    ['deny', bash('ls "$(rm a)"'), plan],
    ['deny', bash('ls `rm a`'), plan],
    ['deny', bash('ls "`rm a`"'), plan],
    ['deny', bash('cat <(rm a)'), plan],
    ['deny', bash('echo $HOME'), plan],
    ['deny', bash('cat sec*'), plan],
    ['deny', bash('cat link/../../x'), plan],
    ['deny', bash('cd - '), plan],
    ['deny', bash('find . -delete'), plan],
    ['deny', bash('find . -exec rm {} +'), plan],
    ['deny', bash('find . -fprintf a x'), plan],
    ['deny', bash("find . '-exec' rm a +"), plan],
    ['deny', bash('git -c core.pager=evil log'), plan],
    ['deny', bash('git -c alias.log=!evil log'), plan],
    ['deny', bash('git --exec-path=/tmp/evil status'), plan],
    ['deny', bash('git diff --output=a'), plan],
    ['deny', bash('git diff --outp a'), plan],
    ['deny', bash('git log --ext-diff'), plan],
    ['deny', bash('git branch new'), plan],
    ['deny', bash('git branch -v new'), plan],
    ['deny', bash('git branch -D old'), plan],
    ['deny', bash('git reflog expire --all'), plan],
    ['deny', bash('git stash'), plan],
    ['deny', bash('git tag v1'), plan],
    ['deny', bash('git remote add x y'), plan],
    ['deny', bash('./ls'), plan],
    ['deny', bash('/tmp/ls'), plan],
    ['deny', bash('PATH=/tmp ls'), plan],
    ['deny', bash('env ls'), plan],
    ['deny', bash('constructor'), plan],
    ['deny', bash("ls '"), plan],
    ['deny', bash(`ls ${'a'.repeat(10_001)}`), plan],
    ['deny', bash('npm test'), plan],
    ['deny', bash('npm test'), { ...plan, ...npm }],
  ],
  'ways round an allow rule': [
    ['allow', bash('npm test'), npm],
    ['allow', bash('npm test -- --run src'), npm],
    ['allow', bash('npm  test x'), npm],
    ['ask', bash('npm tests'), npm],
    ['ask', bash('npm test; curl evil'), npm],
    ['ask', bash('npm test && curl evil'), npm],
    ['ask', bash('npm test || curl evil'), npm],
    ['ask', bash('npm test & curl evil'), npm],
    ['ask', bash('npm test | sh'), npm],
    ['ask', bash('npm test |& sh'), npm],
    ['ask', bash('npm test\ncurl evil'), npm],
    ['ask', bash('npm test\r\ncurl evil'), npm],
    ['ask', bash('npm test $(curl evil)'), npm],
    ['ask', bash('npm test "$(curl evil)"'), npm],
    ['ask', bash('npm test `curl evil`'), npm],
    ['ask', bash('npm test <(curl evil)'), npm],
    ['ask', bash('npm test >~/.bashrc'), npm],
    ['ask', bash('npm test ${x:=evil}'), npm],
    ['allow', bash('(npm test)'), npm],
    ['ask', bash('NODE_OPTIONS=--require=./evil npm test'), npm],
    ['ask', bash('env NODE_OPTIONS=x npm test'), npm],
    ['ask', bash('sh -c "npm test"'), npm],
    ['allow', bash('echo x | xargs npm test'), npm],
    ['ask', bash('cd /evil && npm test'), npm],
    ['ask', bash('"npm test" x'), npm],
    ['ask', bash('npm "test x"y'), { allow: ['Bash(npm test x)'] }],
    ['ask', bash('git -c core.pager=evil log'), git],
    ['ask', bash('git -C /evil log x'), git],
    ['ask', bash('npm test \\\n; curl evil'), npm],
    ['ask', bash('npm test # \n curl evil'), npm],
    ['allow', bash('cd sub && make'), { allow: ['Bash(cd sub && make)'] }],
    ['ask', bash('cd sub && make x'), { allow: ['Bash(cd sub && make)'] }],
    ['allow', bash('anything; at all'), { allow: ['Bash'] }],
    ['allow', bash('git log --format="%h; %s | $x"'.replace('$x', 'x')), git],
    ['allow', bash('npx tsc'), { allow: ['Bash(npx tsc:*)'] }],
    ['ask', bash('npx tscx'), { allow: ['Bash(npx tsc:*)'] }],
    ['allow', bash('lsof'), { allow: ['Bash(ls*)'] }],
    ['ask', bash('lsof'), { allow: ['Bash(ls *)'] }],
  ],
  'ways round a deny rule': [
    ['deny', bash('rm -rf x'), noRm],
    ['deny', bash('rm'), noRm],
    ['allow', bash('rmdir x'), noRm],
    ['allow', bash('git commit -m "rm x"'.replace('"rm x"', 'rmx')), noRm],
    ['deny', bash("r''m -rf x"), noRm],
    ['deny', bash('"rm" x'), noRm],
    ['deny', bash('\\rm x'), noRm],
    ['deny', bash('/bin/rm x'), noRm],
    ['deny', bash('cd x && rm -rf y'), noRm],
    ['deny', bash('true; rm y'), noRm],
    ['deny', bash('true & rm y'), noRm],
    ['deny', bash('true\nrm y'), noRm],
    ['deny', bash('echo $(rm y)'), noRm],
    ['deny', bash('echo "$(rm y)"'), noRm],
    ['deny', bash('echo `rm y`'), noRm],
    ['deny', bash('cat <(rm y)'), noRm],
    ['deny', bash('X=1 rm y'), noRm],
    ['deny', bash('env X=1 rm y'), noRm],
    ['deny', bash('sh -c "rm y"'), noRm],
    ['deny', bash("bash -c 'true && rm y'"), noRm],
    ['deny', bash('ls | xargs rm'), noRm],
    ['deny', bash('ls | xargs -n 1 /bin/rm -f'), noRm],
    ['deny', bash('find . -exec rm {} +'), noRm],
    ['deny', bash('timeout 5 nice -n 3 rm y'), noRm],
    ['deny', bash('sudo rm y'), noRm],
    ['deny', bash('command rm y'), noRm],
    ['deny', bash('if true; then rm y; fi'), noRm],
    ['deny', bash('{ rm y; }'), noRm],
    ['deny', bash('r\\\nm y'), noRm],
    ['deny', bash('git push origin'), noPush],
    ['deny', bash('git -C . push origin'), noPush],
    ['deny', bash('git -c x=y --no-pager push'), noPush],
    ['deny', bash('cd . && git --git-dir .git push'), noPush],
    ['ask', bash('npm publish'), { ...bypass, ask: ['Bash(npm publish *)'] }],
    ['deny', bash('ls'), { deny: ['Bash'], allow: ['Bash(ls *)'] }],
    ['deny', bash('cat a'), { deny: ['Bash(*)'] }],
  ],
  'other tools': [
    ['allow', call('TaskList', { kind: 'none' }), never],
    ['allow', call('SendMessage', { kind: 'none' }, true), plan],
    ['allow', call('Agent', { kind: 'other', specifier: 'Explore' }, true), plan],
    ['deny', call('Agent', { kind: 'other', specifier: 'Explore' }, true), { deny: ['Task(Explore)'] }],
    ['allow', call('Agent', { kind: 'other', specifier: 'Plan' }, true), { deny: ['Agent(Explore)'] }],
    ['ask', other('WebFetch', 'domain:example.com')],
    ['allow', other('WebFetch', 'domain:example.com'), { allow: ['WebFetch(domain:example.com)'] }],
    ['ask', other('WebFetch', 'domain:example.com.evil'), { allow: ['WebFetch(domain:example.com)'] }],
    ['allow', other('WebFetch', 'domain:a.example.com'), { allow: ['WebFetch(domain:*.example.com)'] }],
    ['ask', other('mcp__db__query')],
    ['allow', other('mcp__db__query'), { allow: ['mcp__db'] }],
    ['allow', other('mcp__db__query'), { allow: ['mcp__db__*'] }],
    ['ask', other('mcp__dbx__query'), { allow: ['mcp__db'] }],
    ['ask', other('mcp__db__query'), { allow: ['mcp__*'] }],
    ['deny', other('mcp__db__query'), { ...bypass, deny: ['mcp__*'] }],
    ['deny', other('mcp__db__query'), never],
    ['deny', other('mcp__db__query'), plan],
    ['ask', other('Skill', 'deploy prod'), { ask: ['Skill(deploy *)'], ...bypass }],
  ],
  'what is about an MCP server without being one of its tools': [
    ['deny', resource, { ...bypass, deny: ['mcp__db'] }],
    ['deny', resource, { ...bypass, deny: ['mcp__db__*'] }],
    ['deny', resource, { ...bypass, deny: ['mcp__*'] }],
    ['deny', call('ListMcpResources', { kind: 'none', server: 'mcp__db' }), { ...bypass, deny: ['mcp__db'] }],
    ['ask', resource, { ...bypass, ask: ['mcp__db'] }],
    ['allow', resource, { ...bypass, deny: ['mcp__db__query', 'mcp__dbx'] }],
    ['allow', call('ListMcpResources', { kind: 'none', server: 'mcp__db' }), { deny: ['mcp__dbx', 'mcp__db__query'] }],
    ['ask', resource, {}],
  ],
};

describe.each(Object.entries(CASES))('%s', (_, cases) => {
  const titled = cases.map(([expected, what, given = {}]) => {
    const { mode = 'default', ...rules } = given;
    const title = `${expected}: ${JSON.stringify(what.access)} of ${what.tool.name} in ${mode} ${JSON.stringify(rules)}`;
    return [title, expected, what, given] as const;
  });
  test.each(titled)('%s', (_, expected, what, given) => {
    expect(verdict(what, given)).toBe(expected);
  });
});

it('holds a deny or ask rule of the form Tool(parameter:value) against the input, never against the main field', () => {
  const inBackground = { ...bash('ls'), input: { command: 'ls', run_in_background: true } };
  expect(verdict(inBackground, { deny: ['Bash(run_in_background:true)'] })).toBe('deny');
  expect(verdict(inBackground, { ...bypass, ask: ['Bash(run_in_background:*)'] })).toBe('ask');
  expect(verdict(bash('ls'), { deny: ['Bash(run_in_background:true)'] })).toBe('allow');
  expect(verdict(bash('ls'), { deny: ['Bash(command:l*)'] })).toBe('allow');
  const opus = { ...call('Agent', { kind: 'other', specifier: 'Plan' }, true), input: { model: 'opus' } };
  expect(verdict(opus, { deny: ['Agent(model:opus)'] })).toBe('deny');
  expect(verdict(opus, { deny: ['Agent(model:haiku)'] })).toBe('allow');
});

describe('a verdict', () => {
  it('tells a model in plan mode what it may still do', () => {
    expect(judge(bash('npm test'), contextOf(plan))).toEqual({
      kind: 'deny',
      because: expect.stringMatching(/^Plan mode is on: .* ExitPlanMode\. Commands such as ls/),
    });
  });

  it('names the rule that allowed or refused', () => {
    expect(judge(bash('npm test'), contextOf(npm))).toEqual({ kind: 'allow', by: 'rule Bash(npm test *)' });
    expect(judge(bash('rm x'), contextOf(noRm))).toMatchObject({ because: expect.stringContaining('Bash(rm *)') });
  });

  it.each([
    [bash('npm run build')],
    [bash('make all')],
    [bash('cd a && make')],
    [bash('python3 x.py')],
    [read('/etc/hosts')],
    [write(`${app}/src/a.ts`)],
    [read(`${app}/link`, '/etc/hosts')],
    [other('WebFetch', 'domain:example.com')],
    [other('mcp__db__query')],
  ])('of asking suggests rules that would have let the call pass: %j', (what) => {
    const asked = judge(what, contextOf());
    if (asked.kind !== 'ask') throw new Error(`not asked but ${asked.kind}`);
    const rules = asked.suggestions.map(({ rule }) => rule);
    expect(rules.length).toBeGreaterThan(0);
    expect(verdict(what, { allow: rules })).toBe('allow');
  });

  it('never suggests a rule for everything that an interpreter can run', () => {
    expect(judge(bash('python3 x.py'), contextOf())).toMatchObject({
      suggestions: [{ behavior: 'allow', rule: 'Bash(python3 x.py)' }],
    });
  });
});

it('hides from a search what a rule keeps from being read', () => {
  const context = contextOf(noSecrets);
  expect(
    [`${app}/a`, `${app}/.env`, `${app}/secrets/k`, '/etc/hosts'].filter((path) => mayRead(path, context)),
  ).toEqual([`${app}/a`, '/etc/hosts']);
});
