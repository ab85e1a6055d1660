import type { Session } from '../session/memberSession.js';

/** A wish that a member's session ends, which may come before there is one. */
export interface Leaving {
  /** The running tool call is finished first, unless it is `now`. */
  ask(when: 'after the call' | 'now'): void;
  /** The session has begun: a wish that came earlier counts. */
  attach(session: Session): void;
  interrupt(): boolean;
  /** What the member waits for goes on in the background. Returns a line that says what. */
  toBackground(): Promise<string>;
  wasAsked(): boolean;
  /** As a `SessionEnd` hook is told it. */
  reason(): 'prompt_input_exit' | 'other';
}

export function createLeaving(): Leaving {
  let session: Session | undefined;
  let asked = false;
  let isAtPrompt = false;
  return {
    ask(when) {
      // A signal does not wait for the call.
      isAtPrompt ||= !asked && when === 'after the call';
      asked = true;
      session?.member.control.leave();
      if (when === 'now') session?.member.control.interrupt();
    },
    attach(begun) {
      session = begun;
      if (asked) begun.member.control.leave();
    },
    wasAsked: () => asked,
    reason: () => (isAtPrompt ? 'prompt_input_exit' : 'other'),
    interrupt: () => session?.member.control.interrupt() ?? false,
    toBackground: async () => (await session?.parts.beside.toBackground?.()) ?? 'The lead has not begun.',
  };
}
