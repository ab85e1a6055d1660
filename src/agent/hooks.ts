import type { ContentBlockParam } from '../model/types.js';
import type { JudgeContext } from '../permissions/judge.js';
import type { CompactionTrigger, TurnEnd } from './events.js';
import type { CallHooks, HookedCall } from './ports.js';
import type { ToolOutput } from './tool.js';

/** What hooks say of a call before it is judged. */
export interface BeforeCall {
  /** It is not run: why. */
  readonly refused?: string | undefined;
  /** As a rule for this tool would say it. */
  readonly said?: 'allow' | 'ask' | undefined;
  /** In place of its whole input. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** For the model, behind the result. */
  readonly told?: string | undefined;
  /** The turn ends behind this batch of calls. */
  readonly stops?: boolean | undefined;
}

export type AfterCall = Pick<BeforeCall, 'told' | 'stops'>;

/** What the hooks of one agent say at its steps. Never throws: a hook that breaks says nothing. */
export interface HooksPort {
  beforeCall(call: HookedCall, signal: AbortSignal): Promise<BeforeCall>;
  readonly onQuestion: CallHooks['onQuestion'];
  afterCall(call: HookedCall, output: ToolOutput, signal: AbortSignal): Promise<AfterCall>;
  /** Why the conversation is not to be shortened, or nothing. */
  beforeCompaction(trigger: CompactionTrigger, signal: AbortSignal): Promise<string | undefined>;
}

/** The context with what a hook said as one more rule: so no allow of a hook is stronger than a deny or ask rule. */
export function withHookRule(context: JudgeContext, tool: string, said: CallHooks['said']): JudgeContext {
  if (said === undefined) return context;
  const { rules } = context;
  return { ...context, rules: { ...rules, [said]: [...rules[said], { tool }] } };
}

/** The output with what hooks add for the model. */
export function withTold(output: ToolOutput, told: readonly (string | undefined)[]): ToolOutput {
  const text = told.filter((part) => part !== undefined && part !== '').join('\n');
  if (text === '') return output;
  const added = `<hook>\n${text}\n</hook>`;
  const { content } = output;
  return {
    ...output,
    content:
      typeof content === 'string'
        ? [content, added].filter((part) => part !== '').join('\n\n')
        : [...content, { type: 'text', text: added }],
  };
}

/** How often in a row hooks may keep an agent from ending its turn. */
export const MOST_BLOCKS = 8;

export interface EndHooks {
  /** A turn is done. Returns why it is to be gone on with, or nothing. `isAgain`: it was gone on with for that before. */
  onDone(end: TurnEnd, isAgain: boolean, signal: AbortSignal): Promise<string | undefined>;
  /** Told when nobody is listened to any more. */
  onIgnored(reason: string): void;
}

type Next = (end: TurnEnd | undefined) => Promise<readonly ContentBlockParam[] | undefined>;

/** Asks hooks before what comes after a turn: one that they block is gone on with. */
export function withEndHooks(
  next: Next | undefined,
  { onDone, onIgnored }: EndHooks,
  turnSignal: () => AbortSignal,
  drain: AbortSignal,
): Next {
  let blocks = 0;
  return async (end) => {
    if (end?.reason === 'done' && end.stoppedBy === undefined) {
      const reason = await onDone(end, blocks > 0, turnSignal());
      if (reason !== undefined && !drain.aborted && !turnSignal().aborted) {
        if (blocks++ < MOST_BLOCKS) return [{ type: 'text', text: `<hook>\n${reason}\n</hook>` }];
        onIgnored(reason);
      }
    }
    blocks = 0;
    return next?.(end);
  };
}
