import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import type { PermissionMode } from '../permissions/mode.js';
import { ToolError, UserError } from '../util/errors.js';

export interface AgentCall {
  readonly toolUseId: string;
  readonly description: string;
  readonly prompt: string;
  readonly subagentType?: string | undefined;
  readonly model?: string | undefined;
  readonly name?: string | undefined;
  readonly mode?: PermissionMode | undefined;
  readonly isolation?: 'worktree' | undefined;
}

/** Where a call goes once its input is known to be whole. Each resolves with what the model is told. @throws UserError. */
export interface AgentPort {
  foreground(call: AgentCall, signal: AbortSignal): Promise<string>;
  /** Absent where no teammates may be made: the roster is flat. */
  readonly teammate?: (call: AgentCall) => Promise<string>;
}

const FOREGROUND = {
  description: z.string().check(z.describe('3-5 words')),
  prompt: z.string(),
  subagent_type: z.optional(z.string()),
  model: z.optional(z.enum(['sonnet', 'opus', 'haiku'])),
};
const WithTeammates = z.object({
  ...FOREGROUND,
  name: z.optional(
    z
      .string()
      .check(
        z.describe(
          'Makes it a teammate of this name: a process of its own that works beside you and reports by message',
        ),
      ),
  ),
  isolation: z.optional(z.enum(['worktree']).check(z.describe('For a teammate: a git worktree of its own'))),
  mode: z.optional(
    z
      .enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])
      .check(z.describe('For a teammate; plan: its plan needs your approval')),
  ),
});

export function createAgentTool(port: AgentPort): Tool {
  const input: z.ZodMiniType<z.infer<typeof WithTeammates>> = port.teammate ? WithTeammates : z.object(FOREGROUND);
  return defineTool({
    name: 'Agent',
    description:
      'Give a task to another agent with a fresh context; the prompt must hold all it needs to know. Several calls in one message run side by side.',
    input,
    isReadOnly: false,
    isCoordination: true,
    isConcurrent: true,
    access: ({ subagent_type }) => ({ kind: 'other', specifier: subagent_type ?? 'general-purpose' }),
    async call({ description, prompt, subagent_type, model, name, mode, isolation }, { toolUseId, signal }) {
      const call = { toolUseId, description, prompt, subagentType: subagent_type, model, name, mode, isolation };
      try {
        return name !== undefined && port.teammate ? await port.teammate(call) : await port.foreground(call, signal);
      } catch (error) {
        if (error instanceof UserError) throw new ToolError(error.message, { cause: error });
        throw error;
      }
    },
  });
}
