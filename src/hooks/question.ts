import * as z from 'zod/mini';
import type { HookEvent, QuestionHook } from '../definitions/hook.js';
import type { HookEnd } from './answer.js';

/** Puts a question to a model, which may look around for it where the hook is an agent; its last words. */
export type AskModel = (hook: QuestionHook, question: string, signal: AbortSignal) => Promise<string>;

/** What the model is asked: the hook's prompt, with what happens in it or behind it. Pure. */
export function questionOf({ prompt }: QuestionHook, input: string): string {
  return prompt.includes('$ARGUMENTS') ? prompt.replaceAll('$ARGUMENTS', () => input) : `${prompt}\n\n${input}`;
}

/** In words for the model. */
export const HOW_TO_ANSWER =
  'End with one JSON object and nothing behind it: {"ok": true}, or {"ok": false, "reason": "one sentence that says what is missing or why not"}.';

const Verdict = z.looseObject({ ok: z.boolean(), reason: z.optional(z.string()) });

/** What the model's answer means, as the end of a command would say it. Pure. @throws Error where it decides nothing. */
export function endOfAnswer(event: HookEvent, text: string): HookEnd {
  const found = lastObject(text);
  if (found === undefined) throw new Error('the model gave no answer that counts');
  const verdict = Verdict.safeParse(found);
  if (!verdict.success) return { exitCode: 0, stdout: JSON.stringify(found), stderr: '' };
  const { ok, reason = '' } = verdict.data;
  if (ok) return { exitCode: 0, stdout: '', stderr: '' };
  if (event !== 'PermissionRequest') return { exitCode: 2, stdout: '', stderr: reason };
  const decision = { behavior: 'deny', message: reason };
  return {
    exitCode: 0,
    stdout: JSON.stringify({ hookSpecificOutput: { hookEventName: event, decision } }),
    stderr: '',
  };
}

/** The JSON object that the text is, or ends with, in a fence or not. */
function lastObject(text: string): object | undefined {
  const bare = text.trim().replace(/\s*```$/, '');
  for (let from = bare.lastIndexOf('{'); from >= 0; from = from === 0 ? -1 : bare.lastIndexOf('{', from - 1)) {
    try {
      const value: unknown = JSON.parse(bare.slice(from));
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // It begins further ahead.
    }
  }
  return undefined;
}
