import type { AgentEvent } from '../../agent/events.js';
import { environment } from '../../config/env.js';
import { suggestedRules, type TeamRequest } from '../../team/requests.js';
import { linesOf } from '../../tui/paneRenderer.js';
import { openPrompt, type Prompt } from '../../tui/prompt.js';
import { type Theme, theme, wantsColor } from '../../tui/theme.js';
import { messageOf } from '../../util/errors.js';
import { oneLine } from '../../util/text.js';
import type { OpenQuestion } from '../session/questions.js';
import { type Conversation, obey } from './conversation.js';

/** A person at a member's terminal: sees what it does, types to it, decides on what waits. */
export interface Terminal {
  event(event: AgentEvent): void;
  card(request: TeamRequest, color: string | undefined): void;
  question(question: OpenQuestion): void;
  say(line: string): void;
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
  const look: Theme = theme(wantsColor(environment(), true));
  let prompt: Prompt | undefined;
  const say = (line: string) => prompt?.print(line);
  prompt = openPrompt(`${look.member(name, color)}> `, {
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
      for (const line of linesOf(event)) say(line);
    },
    card(request, requester) {
      for (const line of cardLines(request, requester, look)) say(line);
    },
    question(question) {
      for (const line of questionLines(question, look)) say(line);
    },
    say: (line) => say(look.dim(line)),
    close: () => prompt?.close(),
  };
}

function cardLines(
  { id, kind, from, plan = '', description = '', suggestions = [] }: TeamRequest,
  color: string | undefined,
  look: Theme,
): string[] {
  const short = id.slice(0, 8);
  const badge = look.member(`[${from}]`, color);
  if (kind === 'plan')
    return [
      `${badge} ${look.strong('has a plan')}`,
      ...plan.split('\n').map((line) => `  │ ${line}`),
      look.warn(`  /approve ${short} [feedback]   /reject ${short} feedback`),
    ];
  const rules = suggestedRules({ suggestions });
  return [
    `${badge} ${look.strong('asks:')} ${oneLine(description, 160)}`,
    look.warn(`  /allow ${short}   /always ${short}   /deny ${short} [reason]`),
    // Whoever says always should know to what.
    ...(rules.length > 0 ? [look.dim(`  always: ${oneLine(rules.join(', '), 160)}`)] : []),
  ];
}

function questionLines({ id, header, question, options, multiSelect }: OpenQuestion, look: Theme): string[] {
  return [
    `${look.strong(`[${header}]`)} ${oneLine(question, 500)}`,
    ...options.map(
      ({ label, description }, index) => `  ${index + 1}  ${oneLine(label)}  ${look.dim(oneLine(description, 200))}`,
    ),
    look.warn(`  /answer ${id} ${multiSelect ? '1,2' : '1'}   or in your own words`),
  ];
}
