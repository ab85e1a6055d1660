import { type Hook, type HookEvent, HookGroups, isPlainMatcher } from '../definitions/hook.js';
import type { HookSource } from '../definitions/hookSource.js';
import { withoutAlias } from '../definitions/toolNames.js';

/** A hook that is to be run, and whose it is. */
export interface Handler {
  readonly hook: Hook;
  readonly file: string;
  readonly pluginRoot?: string | undefined;
  /** The same for the same hook, wherever it is written. */
  readonly key: string;
}

export interface Occasion {
  readonly event: HookEvent;
  /** What matchers are held against: a tool's name, an agent's type, a reason. Absent where an event has none. */
  readonly subject?: string | undefined;
  /** Whether a permission rule speaks of the call; absent where there is no call. */
  readonly touches?: ((rule: string) => boolean) | undefined;
}

const TOOL_EVENTS: readonly string[] = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest'];
/** Former names of tools, which expressions may still be about. */
const FORMER = ['Task', 'FileRead', 'FileEdit', 'FileWrite'];

/** The hooks for what happens, each once, in the order in which they are written. Pure. */
export function handlersFor(sources: readonly HookSource[], { event, subject, touches }: Occasion): Handler[] {
  const found = new Map<string, Handler>();
  for (const { file, pluginRoot, events } of sources) {
    // They were checked when they were read; what somebody has written into the team's file since is none.
    const { data: groups = [] } = HookGroups.safeParse(events[event] ?? []);
    for (const { matcher = '', hooks } of groups) {
      if (subject !== undefined && !matches(matcher, subject, TOOL_EVENTS.includes(event))) continue;
      for (const hook of hooks) {
        if (hook.if !== undefined && !touches?.(hook.if)) continue;
        const key = JSON.stringify([event, pluginRoot, hook]);
        if (!found.has(key)) found.set(key, { hook, file, pluginRoot, key });
      }
    }
  }
  return [...found.values()];
}

/** A list of names, or an expression that is found anywhere in the subject. */
function matches(matcher: string, subject: string, isTool: boolean): boolean {
  const text = matcher.trim();
  if (text === '' || text === '*') return true;
  if (!isPlainMatcher(text)) {
    const expression = new RegExp(text);
    const names = isTool ? [subject, ...FORMER.filter((name) => withoutAlias(name) === subject)] : [subject];
    return names.some((name) => expression.test(name));
  }
  const names = text.split(/[|,]/).map((name) => name.trim());
  return names.some((name) => (isTool ? withoutAlias(name) : name) === subject);
}
