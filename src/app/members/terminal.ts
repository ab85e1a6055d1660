import type { AgentEvent } from '../../agent/events.js';
import { environment } from '../../config/env.js';
import type { TeamRequest } from '../../team/requests.js';
import { linesOf } from '../../tui/paneRenderer.js';
import { openPrompt, type Prompt } from '../../tui/prompt.js';
import { Shown, shown } from '../../tui/shown.js';
import { type Theme, theme, wantsColor } from '../../tui/theme.js';
import { messageOf } from '../../util/errors.js';
import type { StyledLine } from '../../util/styledText.js';
import type { OpenQuestion } from '../session/questions.js';
import { cardLines, questionLines } from './cards.js';
import { type Conversation, obey } from './conversation.js';

/** A person at a member's terminal: sees what it does, types to it, decides on what waits. */
export interface Terminal {
  event(event: AgentEvent): void;
  card(request: TeamRequest, color: string | undefined): void;
  question(question: OpenQuestion): void;
  say(line: string): void;
  /** Shows these lines above what is typed from now on. */
  status(lines: readonly StyledLine[]): Promise<void>;
  /** Gives the whole screen to `work` until that ends, or until the signal that it is given is aborted. */
  lend(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  close(): void;
}

export interface TerminalOptions {
  readonly name: string;
  readonly color: string | undefined;
  readonly conversation: Conversation;
  /** Ctrl-C with nothing typed. */
  readonly onInterrupt: () => string;
  /** Ctrl-D, or the terminal went away. */
  readonly onEnd: () => void;
}

export function openTerminal({ name, color, conversation, onInterrupt, onEnd }: TerminalOptions): Terminal {
  const isColored = wantsColor(environment(), true);
  const look: Theme = theme(isColored);
  const closing = new AbortController();
  let prompt: Prompt | undefined;
  const say = (line: Shown) => prompt?.print(line);
  prompt = openPrompt(shown`${look.member(name, color)}> `, {
    onLine(line) {
      obey(line, conversation).then(
        (answer) => {
          if (answer) say(look.dim(answer));
        },
        (error: unknown) => say(look.warn(messageOf(error))),
      );
    },
    onInterrupt: () => say(look.dim(onInterrupt())),
    onEnd,
  });
  return {
    event(event) {
      for (const line of linesOf(event)) say(new Shown(line));
    },
    card(request, requester) {
      for (const line of cardLines(request, requester, look)) say(line);
    },
    question(question) {
      for (const line of questionLines(question, look)) say(line);
    },
    say: (line) => say(look.dim(line)),
    async status(lines) {
      const { shownLine } = await import('../../tui/statusLine.js');
      prompt?.setStatus((columns) => lines.map((line) => shownLine(line, columns, isColored)));
    },
    lend: async (work) => prompt?.lend(() => work(closing.signal)),
    close() {
      closing.abort();
      prompt?.close();
    },
  };
}
