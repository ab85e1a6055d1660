import type { OnPrompt } from '../../member/dispatch.js';
import type { SessionHooks } from '../hooks/sessionHooks.js';

type Message = Parameters<OnPrompt>[0];
type Use = (line: string) => Promise<string | undefined>;

/** Skills that a person asks for with `/name args`, in whatever way that reaches a member. */
export interface TypedSkills {
  /** Whether a message may be one. */
  concerns(message: Message): boolean;
  /** What the skill says; nothing where there is none of that name. Waits until the member's agent is there. */
  textFor(message: Message): Promise<string | undefined>;
  /** The agent is there. */
  join(use: Use): void;
}

export function createTypedSkills(): TypedSkills {
  let join: (use: Use) => void = () => {};
  const joined = new Promise<Use>((resolve) => {
    join = resolve;
  });
  const concerns = ({ from, text }: Message) => from === 'user' && /^\s*\/[^\s/]/.test(text);
  return {
    concerns,
    textFor: async (message) => (concerns(message) ? (await joined)(message.text) : undefined),
    join: (use) => join(use),
  };
}

/** What is added to prose before the model sees it: a skill, and what hooks say where there are any. */
export function promptsHeard(
  hooks: Pick<SessionHooks, 'onPrompt'> | undefined,
  typed: TypedSkills,
): { readonly onPrompt: OnPrompt; readonly concerns: (message: Message) => boolean } {
  return {
    concerns: (message) => hooks !== undefined || typed.concerns(message),
    async onPrompt(message) {
      const answer: Awaited<ReturnType<OnPrompt>> = (await hooks?.onPrompt(message)) ?? {};
      return answer.blocked ? answer : { ...answer, skill: await typed.textFor(message).catch(() => undefined) };
    },
  };
}
