import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import type { Skill } from '../definitions/skill/skill.js';
import type { PermissionMode } from '../permissions/mode.js';
import { ToolError, UserError } from '../util/errors.js';

export interface AgentCall {
  readonly toolUseId: string;
  readonly description: string;
  readonly prompt: string;
  readonly subagentType?: string | undefined;
  readonly model?: string | undefined;
  readonly runInBackground?: boolean | undefined;
  readonly name?: string | undefined;
  readonly teamName?: string | undefined;
  readonly mode?: PermissionMode | undefined;
  readonly isolation?: 'worktree' | undefined;
  /** The skill that it carries out. */
  readonly skill?: Pick<Skill, 'folder' | 'allowedTools'> | undefined;
}

/** Where a call goes once its input is known to be whole. */
export interface AgentPort {
  /** Resolves with what the model is told. @throws UserError. */
  start(call: AgentCall, signal: AbortSignal): Promise<string>;
  /** Whether a name makes a teammate. */
  readonly offersTeammates: boolean;
  /** Whether a call may ask for the background; a text says why not. */
  readonly offersBackground: true | string;
  /** Whether a call without a type is a fork. */
  readonly forks?: boolean;
}

const FRESH =
  'Give a task to another agent with a fresh context; the prompt must hold all it needs to know. Several calls in one message run side by side.';
const FORKS = `Give a part of your work to an agent; several calls in one message run side by side.
- Without subagent_type it is a fork of you, which knows all that was said here: the prompt is only its directive. Fork when you need the result and not the steps in between: research, a change that is clear by now, parts that do not depend on each other.
- With subagent_type it begins with a fresh context, and the prompt must hold all it needs to know: for an unbiased look, or for work that needs none of this conversation.
Do not look into what a fork is doing, and do not guess its result: its report comes by itself.`;

const ALWAYS = {
  description: z.string().check(z.describe('3-5 words')),
  prompt: z.string(),
  subagent_type: z.optional(z.string()),
  model: z.optional(z.enum(['sonnet', 'opus', 'haiku'])),
  isolation: z.optional(z.enum(['worktree']).check(z.describe('A git worktree of its own'))),
};
const BACKGROUND = {
  run_in_background: z.optional(
    z.boolean().check(z.describe('Go on at once; you are told when it has ended. Do not wait or look for it')),
  ),
};
const TEAM = {
  name: z.optional(
    z
      .string()
      .check(
        z.describe(
          'Makes it a teammate of this name: a process of its own that works beside you and reports by message',
        ),
      ),
  ),
  team_name: z.optional(z.string().check(z.describe('Your own team, which is the default'))),
  mode: z.optional(
    z
      .enum(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'])
      .check(z.describe('For a teammate; plan: its plan needs your approval')),
  ),
};
const Whole = z.object({ ...ALWAYS, ...BACKGROUND, ...TEAM });
type Input = z.infer<typeof Whole>;

export function createAgentTool(port: AgentPort): Tool {
  const { offersTeammates, offersBackground, forks } = port;
  // Fields that are left out are optional in the whole, so that what passes is a whole input too.
  const input = z.object({
    ...ALWAYS,
    ...(offersBackground === true && BACKGROUND),
    ...(offersTeammates && TEAM),
  }) as z.ZodMiniType<Input>;
  return defineTool({
    name: 'Agent',
    description: forks ? FORKS : FRESH,
    input,
    ...(offersBackground !== true && { absent: { run_in_background: offersBackground } }),
    isReadOnly: false,
    isCoordination: true,
    isConcurrent: true,
    access: ({ subagent_type }) => ({ kind: 'other', specifier: subagent_type ?? 'general-purpose' }),
    async call(asked, { toolUseId, signal }) {
      const { description, prompt, subagent_type, model, run_in_background, name, team_name, mode, isolation } = asked;
      const call: AgentCall = {
        toolUseId,
        description,
        prompt,
        subagentType: subagent_type,
        model,
        runInBackground: run_in_background,
        name,
        teamName: team_name,
        mode,
        isolation,
      };
      try {
        return await port.start(call, signal);
      } catch (error) {
        if (error instanceof UserError) throw new ToolError(error.message, { cause: error });
        throw error;
      }
    },
  });
}
