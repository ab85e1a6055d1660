import * as z from 'zod/mini';
import type { JudgeContext, Rules } from '../../permissions/judge.js';
import { formatRule, parseRule } from '../../permissions/rule.js';
import { messageOf } from '../../util/errors.js';

/** What hooks have allowed, asked for or denied for the rest of a session, by `updatedPermissions`. */
export interface HookRules {
  /** Returns a line for each that is left out, or that holds for less than was asked for. */
  add(updates: readonly unknown[]): string[];
  /** The context with them. A deny or ask rule goes before an allow, whoever wrote it. */
  widened(context: JudgeContext): JudgeContext;
}

const Behavior = z.enum(['allow', 'ask', 'deny']);
/** As other programs write it. */
const AddRules = z.looseObject({
  type: z.literal('addRules'),
  behavior: Behavior,
  rules: z.array(z.looseObject({ toolName: z.string(), ruleContent: z.optional(z.string()) })),
  destination: z.optional(z.string()),
});
/** As `permission_suggestions` tells it. */
const Suggested = z.looseObject({ behavior: Behavior, rule: z.string() });

/** No rules yet. */
export function createHookRules(): HookRules {
  let added: Rules = { allow: [], ask: [], deny: [] };

  const read = (update: unknown): z.infer<typeof AddRules> | string => {
    const suggested = Suggested.safeParse(update);
    try {
      if (suggested.success) {
        const { tool: toolName, specifier: ruleContent } = parseRule(suggested.data.rule);
        return { type: 'addRules', behavior: suggested.data.behavior, rules: [{ toolName, ruleContent }] };
      }
    } catch (error) {
      return messageOf(error);
    }
    const parsed = AddRules.safeParse(update);
    return parsed.success ? parsed.data : 'only {"type": "addRules", "behavior", "rules"} and suggestions count.';
  };
  return {
    add(updates) {
      return updates.flatMap((update) => {
        const asked = read(update);
        const left = (why: string) => [`A hook's updatedPermissions ${JSON.stringify(update)} is left out: ${why}`];
        if (typeof asked === 'string') return left(asked);
        const { behavior, rules, destination = 'session' } = asked;
        try {
          const parsed = rules.map(({ toolName, ruleContent }) =>
            parseRule(formatRule({ tool: toolName, ...(ruleContent !== undefined && { specifier: ruleContent }) })),
          );
          added = { ...added, [behavior]: [...added[behavior], ...parsed] };
        } catch (error) {
          return left(messageOf(error));
        }
        if (destination === 'session') return [];
        return [`What a hook's updatedPermissions add to ${destination} holds for this session; no file is changed.`];
      });
    },
    widened(context) {
      const { allow, ask, deny } = context.rules;
      return {
        ...context,
        rules: { allow: [...allow, ...added.allow], ask: [...ask, ...added.ask], deny: [...deny, ...added.deny] },
      };
    },
  };
}
