import type { Tool } from '../../agent/tool.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { TextBlockParam } from '../../model/types.js';
import type { MemberHooks } from '../hooks/memberHooks.js';
import type { AgentKnowledge } from '../knowledge/knowledge.js';
import { toldAgain } from './goOn.js';
import { type Facts, introductionOf, reminders } from './reminders.js';
import type { SessionParts } from './sessionGround.js';

export interface MemberOpeningOptions {
  readonly parts: Facts & Pick<SessionParts, 'team'>;
  readonly definition: AgentDefinition | undefined;
  readonly knows: Pick<AgentKnowledge, 'opening' | 'again'>;
  readonly hooked: Pick<MemberHooks, 'started'>;
  /** The agents that it may start. */
  readonly startable: () => Promise<readonly AgentDefinition[]>;
  /** Its repository's state in words; empty outside of one. */
  readonly gitNote: () => Promise<string>;
}

/** What a member is told before its first prompt. `isNew`: nothing was said to it before. */
export async function memberOpening(
  options: MemberOpeningOptions,
  { tools, isNew }: { readonly tools: readonly Tool[]; readonly isNew: boolean },
): Promise<TextBlockParam[]> {
  const { parts, hooked, startable } = options;
  const texts: string[] = [];
  if (isNew) texts.push(...(await firstWords(options, tools)));
  else if (parts.launch.continues) texts.push(await toldAgain(parts, await startable()));
  texts.push(...(await hooked.started(isNew ? 'startup' : 'resume')));
  return texts.flatMap((text) => (text === '' ? [] : [{ type: 'text', text }]));
}

/** What a member is told again behind a summary. */
export async function memberReminders({ parts, knows, hooked, startable }: MemberOpeningOptions): Promise<string> {
  return [await knows.again(), await reminders(parts, await startable()), ...(await hooked.started('compact'))]
    .join('\n\n')
    .trim();
}

async function firstWords(
  { parts, definition, knows, startable, gitNote }: MemberOpeningOptions,
  tools: readonly Tool[],
): Promise<string[]> {
  const text = introductionOf(parts.team().members, parts.launch.member, await startable());
  const note = definition?.omitGitStatus ? '' : await gitNote();
  return [...(await knows.opening(tools)), note, text, definition?.initialPrompt ?? ''];
}
