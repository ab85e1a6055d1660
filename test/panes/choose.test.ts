import { describe, expect, test } from 'vitest';
import { type BackendQuestion, chooseBackend } from '../../src/panes/choose.js';

const IN_TMUX = { TMUX: '/tmp/tmux-0/default,1,0', TMUX_PANE: '%7' };

/** On a terminal outside of tmux, with tmux 3.3a on the PATH, unless told otherwise. */
function choose(
  more: Partial<BackendQuestion> & { version?: string | undefined; knows?: string; iterm2?: string } = {},
) {
  const { version = '3.3a', knows = '%7', iterm2, ...question } = more;
  return chooseBackend({
    wanted: 'auto',
    command: 'up',
    detach: false,
    isTerminal: true,
    environment: {},
    probe: {
      tmuxVersion: async () => (version === 'none' ? undefined : `tmux ${version}`),
      answersForPane: async (pane) => pane === knows,
      iterm2Problem: async () => iterm2,
    },
    ...question,
  });
}

describe('auto', () => {
  test('takes the tmux it is in, if that answers for exactly its pane', async () => {
    expect(await choose({ environment: IN_TMUX })).toEqual({ type: 'tmux', where: 'inside' });
    expect(await choose({ environment: IN_TMUX, knows: '%8' })).toEqual({ type: 'tmux', where: 'own-server' });
    expect(await choose({ environment: { TMUX: IN_TMUX.TMUX } })).toEqual({ type: 'tmux', where: 'own-server' });
  });

  test('takes a server of its own on a terminal and with --detach', async () => {
    expect(await choose()).toEqual({ type: 'tmux', where: 'own-server' });
    expect(await choose({ isTerminal: false, detach: true })).toEqual({ type: 'tmux', where: 'own-server' });
  });

  test('falls back to this process with one line that says so', async () => {
    expect(await choose({ version: 'none' })).toEqual({
      type: 'in-process',
      notice: 'There is no tmux on the PATH. The team runs in this process. /dashboard shows its members.',
    });
    expect(await choose({ version: '2.9' })).toMatchObject({
      type: 'in-process',
      notice: expect.stringContaining('tmux 2.9'),
    });
  });

  test('is in this process for a run, inside tmux too', async () => {
    expect(await choose({ command: 'run', environment: IN_TMUX })).toEqual({ type: 'in-process' });
  });
});

describe('in iTerm2', () => {
  const environment = { TERM_PROGRAM: 'iTerm.app', ITERM_SESSION_ID: 'w0t0p0:AB-CD' };

  test('auto shows members there, with or without tmux on the PATH', async () => {
    expect(await choose({ environment })).toEqual({ type: 'iterm2' });
    expect(await choose({ environment, version: 'none' })).toEqual({ type: 'iterm2' });
    expect(await choose({ wanted: 'iterm2', environment })).toEqual({ type: 'iterm2' });
  });

  test('auto stays in a tmux that is around it, and detached', async () => {
    expect(await choose({ environment: { ...environment, ...IN_TMUX } })).toEqual({ type: 'tmux', where: 'inside' });
    expect(await choose({ environment, detach: true })).toEqual({ type: 'tmux', where: 'own-server' });
    expect(await choose({ environment, wanted: 'tmux' })).toEqual({ type: 'tmux', where: 'own-server' });
  });

  test('auto takes tmux where iTerm2 does not answer, with the line that says how it would', async () => {
    expect(await choose({ environment, iterm2: 'Install it2.' })).toEqual({
      type: 'tmux',
      where: 'own-server',
      notice: 'Install it2. Until then members are in tmux.',
    });
    expect(await choose({ environment, iterm2: 'Install it2.', version: 'none' })).toMatchObject({
      type: 'in-process',
    });
  });
});

describe('an explicit choice', () => {
  test('of in-process holds inside tmux', async () => {
    expect(await choose({ wanted: 'in-process', environment: IN_TMUX })).toEqual({ type: 'in-process' });
  });

  test('of tmux for a run is a server of its own, inside tmux too', async () => {
    const run = await choose({ wanted: 'tmux', command: 'run', isTerminal: false, environment: IN_TMUX });
    expect(run).toEqual({ type: 'tmux', where: 'own-server' });
  });

  const impossible: [what: string, question: Parameters<typeof choose>[0], words: RegExp][] = [
    ['tmux where there is none', { wanted: 'tmux', version: 'none' }, /no tmux on the PATH/],
    ['tmux that is too old', { wanted: 'tmux', version: '2.9a' }, /tmux 2\.9a.*3\.0 or later/],
    ['tmux for a run where there is none', { wanted: 'tmux', command: 'run', version: 'none' }, /no tmux/],
    ['iterm2 without it2', { wanted: 'iterm2', iterm2: 'No it2.' }, /No it2\. Or use --backend tmux or --backend in-p/],
    ['iterm2 with --detach', { wanted: 'iterm2', detach: true }, /--detach needs tmux/],
    ['iterm2 for a run', { wanted: 'iterm2', command: 'run' }, /troupe up.*--backend tmux or in-process/],
    ['in-process with --detach', { wanted: 'in-process', detach: true }, /--detach needs tmux.*troupe run/],
    ['--detach without tmux', { detach: true, version: 'none' }, /--detach needs tmux.*troupe run/],
    ['no terminal and no --detach', { isTerminal: false }, /--detach.*troupe run/],
  ];
  test.each(impossible)('that cannot be honoured is an error that says what can: %s', async (_, question, words) => {
    await expect(choose(question)).rejects.toThrow(words);
  });
});
