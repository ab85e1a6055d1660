import { rm } from 'node:fs/promises';
import { run } from '../../src/host/run.js';
import { createTmux, type Tmux } from '../../src/panes/tmux/tmux.js';

let servers = 0;

export interface TestServer extends AsyncDisposable {
  readonly tmux: Tmux;
  /** Its first pane, which runs `cat`. */
  readonly pane: string;
  readonly session: string;
  readonly socketPath: string;
  /** What a process started in the first pane has as `TMUX` and `TMUX_PANE`. */
  readonly environment: { readonly TMUX: string; readonly TMUX_PANE: string };
}

/** A tmux server that nobody else can see: own socket, own configuration, ended and unlinked when the test is over. */
export async function tmuxServer({
  width = 120,
  height = 40,
  config = '/dev/null',
  env,
}: {
  width?: number;
  height?: number;
  config?: string;
  /** The server's whole environment. */
  env?: Record<string, string>;
} = {}): Promise<TestServer> {
  const tmux = createTmux(run, { socketName: `troupe-test-${process.pid}-${servers++}` }, ['-f', config], env);
  const format = '#{pane_id}|#{session_id}|#{socket_path}|#{pid}';
  const size = ['-x', String(width), '-y', String(height)];
  const [line = ''] = await tmux(['new-session', '-d', ...size, '-P', '-F', format, '--', '/usr/bin/env', 'cat', '-']);
  const [pane = '', session = '', socketPath = '', pid = ''] = line.split('|');
  return {
    tmux,
    pane,
    session,
    socketPath,
    environment: { TMUX: `${socketPath},${pid},${session.slice(1)}`, TMUX_PANE: pane },
    [Symbol.asyncDispose]: async () => {
      await tmux(['kill-server']).catch(() => {});
      await rm(socketPath, { force: true });
    },
  };
}
