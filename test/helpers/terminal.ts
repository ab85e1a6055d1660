import { expect } from 'vitest';
import { run } from '../../src/host/run.js';
import { eventually } from './eventually.js';

export interface Terminal extends AsyncDisposable {
  /** Types a line and Enter. */
  type(line: string): Promise<void>;
  /** What it shows, with what has scrolled away. */
  screen(): Promise<string>;
}

/** A terminal of the test's own with a shell in it, as a person would have it: not inside any tmux that it can see. */
export async function terminal(env: Readonly<Record<string, string>>, cwd: string): Promise<Terminal> {
  const call = (...args: string[]) => run('tmux', ['-u', '-L', 'terminal', '-f', '/dev/null', ...args], { env });
  const tmux = async (...args: string[]) => (await call(...args)).stdout;
  // The one before may be just ending.
  await eventually(async () => {
    const made = await call('new-session', '-d', '-x', '160', '-y', '45', '-c', cwd, 'env -u TMUX -u TMUX_PANE sh');
    expect(made.exitCode, made.stderr).toBe(0);
  });
  return {
    async type(line) {
      await tmux('send-keys', '-l', line);
      await tmux('send-keys', 'Enter');
    },
    screen: () => tmux('capture-pane', '-p', '-J', '-S', '-200'),
    [Symbol.asyncDispose]: async () => void (await tmux('kill-server')),
  };
}
