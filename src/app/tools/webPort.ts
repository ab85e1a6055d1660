import type { Spending } from '../../agent/events.js';
import { resolveModel } from '../../model/catalogue.js';
import type { ModelClient } from '../../model/types.js';
import { matchesWildcards, type Rule } from '../../permissions/rule.js';
import type { WebFetchDeps } from '../../tools/webFetch.js';

export interface WebPortOptions {
  readonly client: ModelClient;
  /** `troupe:<team>:<member>`. */
  readonly userId: string;
  readonly allowRules: () => readonly Rule[];
  /** Counts what the small model costs. */
  readonly spent: (response: Spending) => Promise<void>;
}

const MOST_ANSWERED = 4000;

/** What WebFetch needs of a member: its rules, and its way to a small model. */
export function createWebPort({
  client,
  userId,
  allowRules,
  spent,
}: WebPortOptions): Pick<WebFetchDeps, 'isAllowedByName' | 'askSmallModel'> {
  return {
    // A rule for every domain names none: it must not open this machine to whatever name leads here.
    isAllowedByName: (host) =>
      allowRules().some(
        ({ tool, specifier }) =>
          tool === 'WebFetch' &&
          specifier !== undefined &&
          specifier !== 'domain:*' &&
          matchesWildcards(specifier, `domain:${host}`),
      ),
    async askSmallModel(text, signal) {
      const events = client.stream(
        {
          model: resolveModel('haiku'),
          system: [],
          messages: [{ role: 'user', content: text }],
          tools: [],
          maxTokens: MOST_ANSWERED,
          thinking: 'off',
          userId: `${userId}/webfetch`,
        },
        signal,
      );
      let step = await events.next();
      while (!step.done) step = await events.next();
      const { message, usage, costUsd } = step.value;
      await spent({ message, usage, costUsd });
      return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    },
  };
}
