import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Tool } from '../../src/agent/tool.js';
import { environment } from '../../src/config/env.js';
import { endMarked, markedProcesses } from '../../src/host/children.js';
import { systemClock } from '../../src/host/clock.js';
import { judge } from '../../src/permissions/judge.js';
import { loadShell } from '../../src/permissions/shell/load.js';
import { type BashDeps, createBashTool } from '../../src/tools/bash.js';
import { eventually } from '../helpers/eventually.js';
import { realClockUntil } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';
import { idleBash, textOf, toolContext, use } from './context.js';

interface Setting extends AsyncDisposable {
  readonly path: string;
  readonly tool: Tool;
  readonly output: string;
  readonly mark: { readonly member: string; readonly home: string };
}

/** A working directory and a shell in it; whatever was started there is ended with it. */
async function setting({
  keepsCwd = true,
  env = {},
  ...more
}: {
  keepsCwd?: boolean;
  env?: Record<string, string>;
  mostProcesses?: number;
} & Partial<Pick<BashDeps, 'clock' | 'environment' | 'background'>> = {}): Promise<Setting> {
  const dir = await tempDir();
  const path = join(dir.path, 'work');
  const output = join(dir.path, 'tasks');
  await mkdir(path);
  const mark = { member: 'bob@red:1', home: dir.path };
  const tool = createBashTool({
    clock: systemClock,
    mark,
    environment: () => ({ ...environment(), ...env }),
    outputFolder: output,
    keepsCwd,
    folders: () => [path],
    ...more,
  });
  const dispose = async () => {
    await endMarked(mark, systemClock, 0);
    await dir[Symbol.asyncDispose]();
  };
  return { path, tool, output, mark, [Symbol.asyncDispose]: dispose };
}

it('gives what a command printed, in order, and leaves nothing behind', async () => {
  await using here = await setting();
  const context = toolContext(here.path);
  expect(await use(here.tool, { command: 'echo a; echo b >&2; echo "it\'s $1 $0"' }, context)).toEqual({
    content: "a\nb\nit's  bash",
    isError: false,
  });
  expect(await use(here.tool, { command: 'true' }, context)).toEqual({ content: '(No output)', isError: false });
  expect(await readdir(here.output)).toEqual([]);
});

it('tells the exit code, and takes 1 for an answer where it is one', async () => {
  await using here = await setting();
  const end = (command: string) => use(here.tool, { command }, toolContext(here.path));
  expect(await end('echo x; exit 3')).toEqual({ content: 'x\nExit code 3', isError: true });
  expect(await end('kill -9 $$')).toEqual({ content: 'Exit code 137 (SIGKILL)', isError: true });
  expect(await end('echo a | grep b')).toEqual({ content: 'Exit code 1', isError: false });
  for (const command of [
    'diff /etc/hosts /dev/null >/dev/null',
    'test -e nowhere',
    '[ a = b ]',
    'false; X=1 grep b /dev/null',
    'grep "a|b; c" /dev/null',
    "echo x | grep 'a&b' 2>&1 # nothing",
    'diff /etc/hosts /dev/null > /dev/null 2>&1;',
    '(cd / && ! grep -q root etc/passwd)',
    'git --no-pager -c color.ui=never diff --no-index /etc/hosts /dev/null &> /dev/null',
  ]) {
    expect(await end(command), command).toMatchObject({ isError: false });
  }
  for (const command of ['false', 'grep b nowhere', 'grep b /dev/null; false', 'false "; grep b"', 'git -C diff x'])
    expect(await end(command), command).toMatchObject({ isError: true });
  expect(await end('echo (')).toMatchObject({
    content: expect.stringContaining('line 1: syntax error'),
    isError: true,
  });
});

it('shows what the command printed, and nothing of what keeps its directory', async () => {
  await using here = await setting();
  const text = (command: string) => textOf(here.tool, { command }, toolContext(here.path));
  expect(await text('echo (')).toMatch(/^bash: -c: line 1: syntax error .*\nbash: -c: line 1: `echo \('\nExit code 2$/);
  expect(await text('set -x; true')).toBe('+ true');
  expect(await text('mkdir d; cd d; rmdir ../d')).toBe('(No output)');
});

it('keeps the directory inside the working directories and goes back from outside', async () => {
  await using here = await setting();
  await mkdir(join(here.path, 'sub'));
  const context = toolContext(here.path);
  expect(await use(here.tool, { command: 'cd sub' }, context)).toEqual({
    content: '(No output)',
    isError: false,
    cwd: join(here.path, 'sub'),
  });
  expect(await use(here.tool, { command: 'cd sub; exit 2' }, context)).toMatchObject({ cwd: join(here.path, 'sub') });
  const outside = await use(here.tool, { command: 'cd /' }, context);
  expect(outside).toEqual({
    content: `Shell cwd was reset to ${here.path}: / is outside the working directories.`,
    isError: false,
  });
});

it("does not keep a sub-agent's directory, and says so", async () => {
  await using here = await setting({ keepsCwd: false });
  await mkdir(join(here.path, 'sub'));
  const moved = await use(here.tool, { command: 'cd sub' }, toolContext(here.path));
  expect(moved.cwd).toBeUndefined();
  expect(moved.content).toMatch(/reset to .*work: a change of directory lasts for one command/);
});

it('runs nothing in another directory than the one it was meant for, when that is gone', async () => {
  await using here = await setting();
  const gone = join(here.path, 'gone');
  const words = `The working directory ${gone} does not exist any more, so nothing was run.`;
  expect(await use(here.tool, { command: 'touch ran' }, toolContext(gone))).toEqual({
    content: `${words} You are in ${here.path} now.`,
    isError: true,
    cwd: here.path,
  });
  await using subagent = await setting({ keepsCwd: false });
  await expect(use(subagent.tool, { command: 'touch ran' }, toolContext(gone))).rejects.toThrow(words);
  expect([...(await readdir(here.path)), ...(await readdir(subagent.path))]).toEqual([]);
});

it('ends with its shell, though a child still holds its output, and lets that child go on', async () => {
  await using here = await setting();
  const text = await textOf(here.tool, { command: 'sleep 300 & echo done' }, toolContext(here.path));
  expect(text).toMatch(/^done\n1 of its processes still run, printing into .*toolu_1\.output\.$/);
  expect(await markedProcesses(here.mark)).toHaveLength(1);
});

it('ends a command that takes too long with all it started, and nothing of another call', async () => {
  await using here = await setting({ clock: realClockUntil(300, () => stat(join(here.path, 'begun'))) });
  await use(here.tool, { command: 'sleep 6100.61 &' }, toolContext(here.path, { toolUseId: 'other' }));
  const long = `sleep 6200.${process.pid}`; // told apart from another run's
  const command = `setsid ${long} & env -i ${long} & trap "" TERM; echo before; touch begun; ${long}`;
  const result = await use(here.tool, { command, timeout: 300 }, toolContext(here.path));
  expect(result).toEqual({
    content: 'before\nThe command did not end within 0.3 s and was ended, with all it had started.',
    isError: true,
  });
  const left = await Promise.all(
    (await markedProcesses(here.mark)).map(({ pid }) => readFile(`/proc/${pid}/cmdline`, 'utf8')),
  );
  expect(left).toEqual(['sleep\x006100.61\0']);
  expect(
    execFileSync('sh', ['-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "; true'], { encoding: 'utf8' }),
  ).not.toContain(long);
});

it('ends on abort and says that it was cancelled', async () => {
  await using here = await setting();
  const abort = new AbortController();
  const running = use(
    here.tool,
    { command: 'echo started > flag; sleep 60' },
    toolContext(here.path, { signal: abort.signal }),
  );
  await eventually(() => readFile(join(here.path, 'flag')));
  abort.abort();
  expect(await running).toEqual({ content: 'Cancelled: the command was ended before it was done.', isError: true });
  expect(await markedProcesses(here.mark)).toEqual([]);
  expect(await use(here.tool, { command: 'touch x' }, toolContext(here.path, { signal: abort.signal }))).toMatchObject({
    isError: true,
  });
  await expect(stat(join(here.path, 'x'))).rejects.toThrow('ENOENT');
});

it.each(['in front', 'in the background'])(
  'never starts a command that is cancelled while it prepares it: %s',
  async (where) => {
    const abort = new AbortController();
    const begun: string[] = [];
    await using here = await setting({
      environment: () => {
        abort.abort();
        return environment();
      },
      background: {
        begin: async ({ description }) => {
          begun.push(description);
          throw new Error('it began');
        },
      },
    });
    const result = await use(
      here.tool,
      { command: 'touch ran', run_in_background: where === 'in the background' },
      toolContext(here.path, { signal: abort.signal }),
    );
    expect(result).toEqual({ content: 'Cancelled before it started.', isError: true });
    expect([begun, await readdir(here.path), await readdir(here.output)]).toEqual([[], [], []]);
  },
);

it('ends a command that is cancelled as soon as it has started', async () => {
  const abort = new AbortController();
  await using here = await setting({
    clock: {
      ...systemClock,
      sleep: (ms, signal) => {
        // The first look after it.
        if (ms < 100) abort.abort();
        return systemClock.sleep(ms, signal);
      },
    },
  });
  const context = toolContext(here.path, { signal: abort.signal });
  expect(await use(here.tool, { command: 'sleep 300' }, context)).toEqual({
    content: 'Cancelled: the command was ended before it was done.',
    isError: true,
  });
  expect(await markedProcesses(here.mark)).toEqual([]);
});

it('ends a command that is cancelled at whatever moment it starts, and leaves nothing of it', async () => {
  await using here = await setting();
  const cancelled = async (ticks: number) => {
    const abort = new AbortController();
    const context = toolContext(here.path, { signal: abort.signal, toolUseId: `toolu_${ticks}` });
    const running = use(here.tool, { command: 'setsid sleep 300 & sleep 300' }, context);
    for (let tick = 0; tick < ticks; tick++) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    return running;
  };
  for (let ticks = 0; ticks < 60; ticks += 2)
    expect(await cancelled(ticks), `after ${ticks} ticks`).toMatchObject({
      content: expect.stringMatching(/^Cancelled/),
      isError: true,
    });
  expect(await markedProcesses(here.mark)).toEqual([]);
});

it('shows 30,000 characters of long output and keeps the whole in a file', async () => {
  await using here = await setting();
  const text = await textOf(here.tool, { command: 'seq 1 20000; echo end' }, toolContext(here.path));
  expect(text.length).toBeLessThan(30_300);
  expect(text).toMatch(/^1\n2\n/);
  expect(text).toMatch(/19999\n20000\nend$/);
  const [, path = ''] = /All of it is in (\S+)/.exec(text) ?? [];
  expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(20_002);
});

it('stays small in memory and on disk, however much a command prints', async () => {
  await using here = await setting();
  const before = process.memoryUsage().rss;
  const text = await textOf(
    here.tool,
    { command: 'yes 0123456789 | head -c 1000000000; echo; echo end' },
    toolContext(here.path),
  );
  expect(text).toMatch(/^0123456789\n/);
  expect(text).toMatch(/\nend$/);
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
}, 60_000);

it('gives commands an empty stdin, no terminal, no colour, no pager and the mark', async () => {
  await using here = await setting({ env: { FORCE_COLOR: '1', OWN: 'mine' } });
  const command =
    'cat; echo "$TERM $NO_COLOR $PAGER $GIT_PAGER $GIT_EDITOR $EDITOR $GIT_TERMINAL_PROMPT [$FORCE_COLOR] $OWN $TROUPE_MEMBER $TROUPE_CALL"; (: < /dev/tty) 2>/dev/null || echo no tty';
  expect(await textOf(here.tool, { command }, toolContext(here.path))).toBe(
    'dumb 1 cat cat true true 0 [] mine bob@red:1 toolu_1\nno tty',
  );
});

it('has the files that a command names judged where they really are', async () => {
  await using here = await setting();
  await symlink('/etc/passwd', join(here.path, 'link'));
  await symlink('/etc', join(here.path, 'folder'));
  const rules = { allow: [], ask: [], deny: [] };
  const place = { cwd: here.path, home: here.path, folders: [here.path], protectedRoots: [], allowedPaths: [] };
  const verdict = async (command: string) => {
    const { access } = here.tool.prepare({ command }, toolContext(here.path));
    const script = (await loadShell())(command, place);
    return judge({ tool: here.tool, access, script }, { ...place, mode: 'acceptEdits', rules }).kind;
  };
  expect(await verdict('cat plain')).toBe('allow');
  expect(await verdict('cat link')).toBe('ask');
  expect(await verdict('ls && cat folder/hosts')).toBe('ask');
  expect(await verdict('cat < link')).toBe('ask');
  expect(await verdict('echo x > folder/hosts')).toBe('ask');
  expect(await verdict('cp plain folder')).toBe('ask');
  expect(await verdict('cd folder && cat hosts')).toBe('ask');
  expect(await verdict('cp plain other')).toBe('allow');
});

it('does not let a folder that looks like a repository run programs through a free git command', async () => {
  await using here = await setting();
  const trap = join(here.path, 'trap');
  execFileSync('git', ['init', '-q', '--bare', trap]);
  execFileSync('git', ['-C', trap, 'config', 'core.bare', 'false']);
  execFileSync('git', ['-C', trap, 'config', 'core.worktree', here.path]);
  await writeFile(join(here.path, 'evil'), `#!/bin/sh\ntouch ${here.path}/ran\n`, { mode: 0o755 });
  execFileSync('git', ['-C', trap, 'config', 'core.fsmonitor', join(here.path, 'evil')]);
  execFileSync('git', ['-C', trap, 'status'], { stdio: 'ignore' });
  await stat(join(here.path, 'ran')); // it would, in any other shell
  await rm(join(here.path, 'ran'));
  await use(here.tool, { command: 'git status' }, toolContext(trap));
  await expect(stat(join(here.path, 'ran'))).rejects.toThrow('ENOENT');
});

it('refuses times over ten minutes and fields it does not have', () => {
  const tool = idleBash();
  expect(() => tool.prepare({ command: 'x', timeout: 600_001 }, toolContext('/'))).toThrow(/timeout: Too big/);
  expect(() => tool.prepare({ command: 'x', comand: 'y' }, toolContext('/'))).toThrow(
    '- comand: there is no such field. Did you mean "command"?',
  );
});

it('keeps a command that prints for ever within bounds until its time is over', async () => {
  await using here = await setting({ clock: realClockUntil(1500, () => stat(join(here.path, 'begun'))) });
  const before = process.memoryUsage().rss;
  const command = 'echo y; echo y; touch begun; yes';
  const text = await textOf(here.tool, { command, timeout: 1500 }, toolContext(here.path));
  expect(text).toMatch(/^y\ny\n/);
  expect(text).toMatch(/did not end within 1\.5 s and was ended/);
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  expect(await markedProcesses(here.mark)).toEqual([]);
});

// They stop of themselves at about 130 processes: a test that fails should not take the machine with it.
const BOMB = 'bomb() { if [ $1 = 0 ]; then sleep 30; else bomb $(($1 - 1)) | bomb $(($1 - 1)); fi; }; bomb 6';

it.each([
  ['in front', BOMB, /^The command had more than 60 processes, as a fork bomb has, and was ended with all of them\.$/],
  [
    'behind a shell that has ended',
    `${BOMB} & echo started`,
    // Whichever comes first: the end of the shell, or a look at how many they are.
    /^started\n(\d+ of its processes still run|The command had more than 60 processes)/,
  ],
  ['in sessions of their own', 'for i in $(seq 120); do setsid sleep 30 & done; wait', /more than 60 processes/],
])('ends a fork bomb %s with all that it has started', async (_, command, said) => {
  await using here = await setting({ mostProcesses: 60 });
  const text = await textOf(here.tool, { command, timeout: 45_000 }, toolContext(here.path));
  expect(text).toMatch(said);
  await eventually(async () => expect((await markedProcesses(here.mark)).length).toBe(0));
});

it.each([
  'vim file',
  'less file',
  'more file',
  'man bash | tail -1',
  'top',
  'python3',
  'bash -i',
  'ed file',
  'read -r answer',
  'git commit --allow-empty',
  'git commit --amend',
  'git rebase -i HEAD',
  'git add -p',
  'git clone https://user@localhost:1/x.git',
  'ssh -o ConnectTimeout=1 localhost',
  'vi file',
  'git add file; git commit',
  'git add file; git -c core.pager=less -c pager.diff=true diff --cached',
  'bash -c "read -r -s -p Password: secret < /dev/tty"',
  'python3 -c "import getpass; getpass.getpass()"',
  'sudo -k; sudo true',
  'su nobody -c "read x"',
])('ends %s, which would wait for a person', async (command) => {
  await using here = await setting();
  execFileSync('git', ['init', '-q', here.path]);
  const repository = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one; echo x > file; ';
  const text = await textOf(here.tool, { command: `${repository}${command}`, timeout: 45_000 }, toolContext(here.path));
  expect(text).not.toContain('did not end within');
  expect(await markedProcesses(here.mark)).toEqual([]);
});

it('leaves no file open or behind where the environment for a command cannot be made', async () => {
  const environment = () => {
    throw new Error('no environment');
  };
  await using here = await setting({ environment });
  await expect(use(here.tool, { command: 'echo a' }, toolContext(here.path))).rejects.toThrow('no environment');
  expect(await readdir(here.output).catch(() => [])).toEqual([]);
});
