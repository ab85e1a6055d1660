import {
  type Block,
  blocksOf,
  isText,
  isToolResult,
  isToolUse,
  type MessagesRequest,
  textOfResult,
} from '../check/request.js';

/** A request as a script's conditions see it. */
export interface Conversation {
  readonly system: string;
  readonly model: string;
  readonly offers: ReadonlySet<string>;
  /** Text of the newest message, without tool results; empty when it has none. */
  readonly user: string;
  /** The tool results that the newest message brought. */
  readonly results: readonly { readonly tool: string; readonly text: string }[];
  /** The newest ones, however far back. */
  readonly lastUser: string | undefined;
  readonly lastResult: string | undefined;
  /** The text of every message, newest first. */
  readonly texts: readonly string[];
}

export function conversationOf({ system, model, tools, messages }: MessagesRequest): Conversation {
  const names = new Map<string, string>();
  for (const { content } of messages)
    for (const block of blocksOf(content)) if (isToolUse(block)) names.set(block.id, block.name);
  const resultsOf = (blocks: readonly Block[]) =>
    blocks
      .filter(isToolResult)
      .map((result) => ({ tool: names.get(result.tool_use_id) ?? '', text: textOfResult(result) }));

  const newest = newestTurn(messages);
  const backwards = messages.map(({ role, content }) => ({ role, blocks: blocksOf(content) })).reverse();
  const users = backwards.filter(({ role }) => role === 'user').map(({ blocks }) => blocks);
  return {
    system: textIn(blocksOf(system)),
    model,
    offers: new Set((tools ?? []).flatMap(({ name }) => (name ? [name] : []))),
    user: textIn(newest),
    results: resultsOf(newest),
    lastUser: users.map(textIn).find((text) => text !== ''),
    lastResult: users
      .map(resultsOf)
      .find((results) => results.length > 0)
      ?.at(-1)?.text,
    texts: backwards.map(({ blocks }) => [...resultsOf(blocks).map(({ text }) => text), textIn(blocks)].join('\n')),
  };
}

/** The blocks of the user's messages behind the last answer. */
function newestTurn(messages: MessagesRequest['messages']): Block[] {
  const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
  return messages.slice(from).flatMap(({ role, content }) => (role === 'user' ? blocksOf(content) : []));
}

function textIn(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (isText(block) ? [block.text] : [])).join('\n');
}
