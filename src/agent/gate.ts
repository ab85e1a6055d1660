import { type JudgeContext, judge } from '../permissions/judge.js';
import type { AskPort, Gate } from './ports.js';

export interface GateDeps {
  /** The rules and folders as they are at this moment. */
  context(): JudgeContext;
  readonly ask: AskPort;
}

/** Judges each call by rules and mode, and asks where they leave it open. */
export function createGate({ context, ask }: GateDeps): Gate {
  return {
    async decide(tool, access, call, signal) {
      const verdict = judge({ tool, access }, context());
      if (verdict.kind === 'allow') return { allow: true };
      if (verdict.kind === 'deny') return { allow: false, because: verdict.because };
      const { description, suggestions } = verdict;
      return ask({ tool: tool.name, toolUseId: call.id, input: call.input, description, suggestions }, signal);
    },
  };
}
