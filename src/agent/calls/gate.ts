import { type JudgeContext, judge, mayReach, mayRead } from '../../permissions/judge.js';
import { loadShell } from '../../permissions/shell/load.js';
import type { AutoMode } from '../autoMode.js';
import { withHookRule } from '../hooks.js';
import type { AskPort, Gate, HookedAnswer, PermissionQuestion } from '../ports.js';
import type { Sight } from '../tool.js';

export interface GateDeps {
  /** The rules and folders as they are at this moment. */
  context(): JudgeContext | Promise<JudgeContext>;
  readonly ask: AskPort;
  /** Asks in mode auto, for what no rule settles; for whom it is absent a person decides there too. */
  readonly auto?: AutoMode | undefined;
}

/** Judges each call by rules and mode, and asks where they leave it open. */
export function createGate({ context, ask, auto }: GateDeps): Gate {
  return {
    async decide(tool, access, call, signal, hooks) {
      const now = withHookRule(await context(), tool.name, hooks?.said);
      const script = access.kind === 'shell' ? (await loadShell())(access.command, now) : undefined;
      const verdict = judge({ tool, access, script, input: call.input }, now);
      const sight: Sight = { mayRead: (path) => mayRead(path, now), mayReach: (server) => mayReach(server, now) };
      if (verdict.kind === 'allow') return { allow: true, sight };
      if (verdict.kind === 'deny') return { allow: false, because: verdict.because };
      const { description, suggestions, isUnsettled } = verdict;
      const paths = access.kind === 'write' ? access.paths : undefined;
      const question = { tool: tool.name, toolUseId: call.id, input: call.input, description, paths, suggestions };
      const asked = async (open: PermissionQuestion, late: AbortSignal): Promise<HookedAnswer> =>
        (await hooks?.onQuestion(open, { tool, access, call }, late)) ?? ask(open, late);
      const answer = await (auto && now.mode === 'auto' && isUnsettled
        ? auto(question, signal, asked)
        : asked(question, signal));
      return answer.allow ? { ...answer, sight } : answer;
    },
  };
}
