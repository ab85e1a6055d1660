import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';

/** Hands a plan in for approval; resolves with the request's id as soon as it is on disk. */
export type SubmitPlan = (plan: string) => Promise<{ readonly requestId: string; readonly planPath: string }>;

/** For a member whose plan needs approval. The turn ends with it; the answer starts the next one. */
export function createExitPlanModeTool(submit: SubmitPlan): Tool {
  return defineTool({
    name: 'ExitPlanMode',
    description:
      'Hand your plan in for approval. Until the answer arrives, as a message, you stay in plan mode and your turn is over.',
    input: z.object({ plan: z.string().check(z.describe('The whole plan, in Markdown')) }),
    isReadOnly: true,
    isCoordination: true,
    isConcurrent: false,
    access: () => ({ kind: 'none' }),
    async call({ plan }, { mode }) {
      if (mode !== 'plan')
        throw new ToolError(
          'You are not in plan mode, so there is nothing to leave: no plan was handed in and nothing was approved.',
        );
      if (plan.trim() === '')
        throw new ToolError('The plan is empty: say what you will change, where, and how it is tested.');
      const { requestId, planPath } = await submit(plan);
      return {
        content: JSON.stringify({ plan, isAgent: true, filePath: planPath, awaitingLeaderApproval: true, requestId }),
        endsTurn: 'waits-for-plan',
      };
    },
  });
}

/** For a lead: from now on it only reads. A person lets it out again. */
export const enterPlanModeTool: Tool = defineTool({
  name: 'EnterPlanMode',
  description: 'Look and think before you change anything: from now on only what reads is allowed.',
  input: z.object({}),
  isReadOnly: true,
  isCoordination: true,
  isConcurrent: false,
  access: () => ({ kind: 'none' }),
  call: async () => ({ content: 'You are in plan mode now: explore, then tell the plan.', mode: 'plan' }),
});
