import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { ToolError, UserError } from '../util/errors.js';

/** What a lead may do with its team as a whole. Each returns what the model is told. @throws UserError for what it can mend. */
export interface TeamPort {
  /** A session has one team, from its start: this says which. */
  create(name: string, description: string | undefined): Promise<string>;
  /** Ends all members, where none is working. */
  remove(): Promise<string>;
}

/** TeamCreate and TeamDelete, for a lead. */
export function createTeamTools(port: TeamPort): Tool[] {
  const shared = { isReadOnly: false, isCoordination: true, access: () => ({ kind: 'none' }) as const };
  return [
    defineTool({
      ...shared,
      name: 'TeamCreate',
      description:
        'Set up your team before you bring members in with Agent {name}. A session has one team: where there is one already, this returns it.',
      input: z.object({
        team_name: z.string().check(z.describe('What it is called')),
        description: z.optional(z.string().check(z.describe('What it is for'))),
        agent_type: z.optional(z.string().check(z.describe('Your own part in it'))),
      }),
      call: ({ team_name, description }) => forModel(port.create(team_name, description)),
    }),
    defineTool({
      ...shared,
      name: 'TeamDelete',
      description:
        'End all teammates, once the work is done and reported. Refused while one of them is working. Tasks, messages and branches stay.',
      input: z.object({}),
      call: () => forModel(port.remove()),
    }),
  ];
}

async function forModel(answer: Promise<string>): Promise<string> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof UserError) throw new ToolError(error.message, { cause: error });
    throw error;
  }
}
