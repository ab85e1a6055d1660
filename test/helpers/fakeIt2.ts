import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmuxServer } from './tmuxServer.js';

export interface FakeIterm2 extends AsyncDisposable {
  /** What a process in its first session has. */
  readonly environment: Record<string, string>;
  /** The id of that session. */
  readonly session: string;
  sessions(): Promise<string[]>;
}

/**
 * An iTerm2 for machines without one: the program `it2`, with the commands and words of the real one, whose sessions are
 * panes of a private tmux server, with a shell in each.
 */
export async function fakeIterm2(folder: string, shell = '/bin/sh'): Promise<FakeIterm2> {
  const server = await tmuxServer({
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, SHELL: '/bin/sh', TERM: 'xterm' },
  });
  await server.tmux(['set-option', '-g', 'default-command', `exec ${shell}`]);
  const bin = join(folder, 'it2-bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'it2'), scriptOn(server.socketPath));
  await chmod(join(bin, 'it2'), 0o755);
  return {
    session: server.pane,
    environment: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      TERM_PROGRAM: 'iTerm.app',
      ITERM_SESSION_ID: `w0t0p0:${server.pane}`,
    },
    sessions: () => server.tmux(['list-panes', '-a', '-F', '#{pane_id}']),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function scriptOn(socket: string): string {
  return `#!/bin/sh
t() { tmux -u -S '${socket}' "$@"; }
command="$1 $2"; shift 2
session= text= lines=
while [ $# -gt 0 ]; do
  case "$1" in
    --session) session=$2; shift ;;
    --json|--force|--vertical) ;;
    *) text=$1 ;;
  esac
  shift
done
[ "$command" = 'session focus' ] && session=$text
panes=$(t list-panes -a -F '#{pane_id}')
if [ -n "$session" ] && ! echo "$panes" | grep -qx "$session"; then
  echo "Error: Session '$session' not found" >&2
  exit 3
fi
case "$command" in
  'session list') echo "$panes" | sed 's/.*/{"id": "&", "name": "", "cols": 80},/; 1s/^/[/; $s/,$/]/' ;;
  'session split') echo "Created new pane: $(t new-window -d -P -F '#{pane_id}')" ;;
  'session run') t send-keys -t "$session" -l "$text" \\; send-keys -t "$session" Enter ;;
  'session read') t capture-pane -p -t "$session" ;;
  'session close') t kill-pane -t "$session"; echo 'Session closed' ;;
  'session set-name'|'session focus') ;;
  *) echo "Error: No such command" >&2; exit 2 ;;
esac
`;
}
