import type { ContentBlockParam, MessageParam } from '../model/types.js';
import { ToolError, UserError } from '../util/errors.js';
import { placeholderResults, withAnsweredCalls } from './pairs.js';
import type { Tool } from './tool.js';

/** The result of every call of the message that forks: the same for all, so that forks differ in their directive only. */
export const FORK_PLACEHOLDER =
  'Left to the agent that you were forked from: it gets the result of this call, you do not.';
const MARKER = '<fork-directive>';

/** A conversation that a fork goes on with: what its parent knows, and its first message. */
export interface ForkedConversation {
  readonly history: MessageParam[];
  readonly prompt: ContentBlockParam[];
}

/**
 * The parent's conversation, all of it or since the last message that is no answer to a tool call, its newest message
 * whole. All forks of one turn are identical up to their directives: the prompt cache is hit.
 */
export function forkConversation(
  parent: readonly MessageParam[],
  directive: string,
  share: true | 'turn' = true,
): ForkedConversation {
  const known = share === 'turn' ? currentTurn(parent) : parent;
  const newest = known.at(-1);
  const current = newest?.role === 'assistant' ? newest : undefined;
  const history = withAnsweredCalls(current ? known.slice(0, -1) : known);
  return {
    history: structuredClone(current ? [...history, current] : history),
    prompt: [...placeholderResults(current, FORK_PLACEHOLDER), { type: 'text', text: directiveText(directive) }],
  };
}

/** Whether this is the conversation of a fork. */
export function isForked(history: readonly MessageParam[]): boolean {
  return history.some(
    ({ role, content }) =>
      role === 'user' &&
      typeof content !== 'string' &&
      content.some((block) => block.type === 'text' && block.text.startsWith(MARKER)),
  );
}

/**
 * By where the session comes from first, by the marker in its history second: either alone is enough.
 * @throws UserError for a fork inside of a fork.
 */
export function refuseForkInFork({
  isFork,
  history,
}: {
  readonly isFork: boolean;
  readonly history: readonly MessageParam[];
}): void {
  if (isFork) throw new UserError('You are a fork yourself, and a fork does not fork: do it with your own tools.');
  if (isForked(history))
    throw new UserError('This conversation is that of a fork, and a fork does not fork: do it with your own tools.');
}

/** The parent's tools as the model sees them, byte for byte; those that are not `allowed` refuse when they are called. */
export function refusingTools(parent: readonly Tool[], allowed: ReadonlySet<string>): Tool[] {
  return parent.map((tool) =>
    allowed.has(tool.name)
      ? tool
      : {
          ...tool,
          prepare() {
            throw new ToolError(`${tool.name} is not yours to use: you are a fork. Do it with the tools that work.`);
          },
        },
  );
}

function currentTurn(history: readonly MessageParam[]): readonly MessageParam[] {
  return history.slice(
    Math.max(
      0,
      history.findLastIndex(
        ({ role, content }) =>
          role === 'user' && (typeof content === 'string' || content.every(({ type }) => type !== 'tool_result')),
      ),
    ),
  );
}

function directiveText(directive: string): string {
  return `${MARKER}
You are a worker now, not the main agent: a fork of it, with all that it knows. The calls above are its own; yours is what is said below.
- Ask nothing and chat with nobody; nobody reads along. No text between tool calls.
- Do it yourself, with your tools. Start no agents, and stay in scope: what else you find goes into the report.
- Commit what you changed before you report.
- End with one report of at most 500 words that begins with "Scope:", what you were to do in one line. Then what you did or found, the files that matter, the commit, and what is open.

${directive}
</fork-directive>`;
}
