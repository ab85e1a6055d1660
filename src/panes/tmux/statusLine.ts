import type { Color, StyledLine } from '../../util/styledText.js';
import type { Tmux } from './tmux.js';

/** Lines that tmux can have, by the value of its option `status`. */
const MOST_LINES = 5;

const optionOf = (line: number) => `@troupe_status_${line}`;

// A value that comes out of `#{…}` is not expanded once more: whatever it holds, no `#(…)` in it is run.
const formatOf = (line: number) => `#[fg=terminal,bg=terminal]#[fill=terminal]#{${optionOf(line)}}`;

/**
 * Shows lines below those of the user's own status line, on a server that is ours. They stay as many as they once were,
 * for each that comes or goes resizes all panes; with none at all the status line is the user's alone again.
 */
export function createStatusLines(tmux: Tmux, session: string): (lines: readonly StyledLine[]) => Promise<void> {
  const shown = new Map<number, string>();
  let rows = 0;
  let isOnScreen = false;

  async function make(wanted: number): Promise<void> {
    const [status = 'on'] = await tmux(['show-options', '-g', '-v', 'status']);
    const first = Math.min(linesOf(status), MOST_LINES - wanted);
    for (let line = 0; line < wanted; line++)
      await tmux(['set-option', '-g', `status-format[${first + line}]`, formatOf(line)]);
    const all = first + wanted;
    await tmux(['set-option', '-t', session, 'status', all === 1 ? 'on' : String(all)]);
    rows = wanted;
    isOnScreen = true;
  }

  return async (lines) => {
    if (lines.length === 0) {
      if (isOnScreen) await tmux(['set-option', '-u', '-t', session, 'status']);
      isOnScreen = false;
      rows = 0;
      return;
    }
    // Each in a call of its own: tmux refuses one of more than 16 KB.
    for (let line = 0; line < Math.max(rows, lines.length); line++) {
      const value = styled(lines[line] ?? []);
      if (shown.get(line) === value) continue;
      await tmux(['set-option', '-t', session, optionOf(line), value]);
      shown.set(line, value);
    }
    if (lines.length > rows) await make(lines.length);
  };
}

function linesOf(status: string): number {
  return status === 'off' ? 0 : status === 'on' ? 1 : Number(status) || 1;
}

/** In tmux's words. The words of a piece begin no style: a run of `#` before `[` is doubled, which tmux takes back. */
export function styled(line: StyledLine): string {
  return line
    .map(({ text, style: { fg, bg, attributes } }, at) => {
      const style = [`fg=${nameOf(fg)}`, `bg=${nameOf(bg)}`, ...attributes].join(',');
      const beforeBracket = at < line.length - 1 ? /#+(?=\[|$)/g : /#+(?=\[)/g;
      return `#[default]#[${style}]${text.replace(beforeBracket, '$&$&')}`;
    })
    .join('');
}

function nameOf(color: Color | undefined): string {
  if (color === undefined) return 'terminal';
  return typeof color === 'number' ? `colour${color}` : color;
}
