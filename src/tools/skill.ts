import * as z from 'zod/mini';
import { defineTool, type Tool, type ToolContext } from '../agent/tool.js';
import { ToolError, UserError } from '../util/errors.js';

export interface SkillCall {
  readonly skill: string;
  readonly args: string;
}

export interface SkillPort {
  /** What the model is to do, or what came out of it. @throws UserError, ToolError. */
  use(call: SkillCall, context: ToolContext): Promise<string>;
}

/** Which skills there are is told in a message, so that this stays the same and the prompt cache survives. */
export function createSkillTool(port: SkillPort): Tool {
  return defineTool({
    name: 'Skill',
    description:
      'Loads a skill, which says how one kind of work is done; then do what it says. The skills that there are have been told in a message. Use one as soon as it fits, and never guess what it says.',
    input: z.object({
      skill: z
        .string()
        .check(z.minLength(1), z.describe('Its name as it was told, "plugin:name" for that of a plugin')),
      args: z.optional(z.string().check(z.describe('What it is to work on, if it takes anything'))),
    }),
    // What a skill has done is judged call by call.
    isReadOnly: false,
    isCoordination: true,
    access: ({ skill }) => ({ kind: 'other', specifier: plain(skill) }),
    async call({ skill, args = '' }, context) {
      try {
        return await port.use({ skill: plain(skill), args: args.trim() }, context);
      } catch (error) {
        if (error instanceof UserError) throw new ToolError(error.message, { cause: error });
        throw error;
      }
    },
  });
}

const plain = (name: string) => name.trim().replace(/^\//, '');
