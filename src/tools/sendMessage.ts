import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { assertNever, ToolError, UserError } from '../util/errors.js';

const looseBoolean = z.union([
  z.boolean(),
  z.pipe(
    z.enum(['true', 'false']),
    z.transform((word) => word === 'true'),
  ),
]);

const Structured = z.discriminatedUnion('type', [
  z.object({ type: z.literal('shutdown_request'), reason: z.optional(z.string()) }),
  z.object({
    type: z.literal('shutdown_response'),
    request_id: z.string(),
    approve: looseBoolean,
    reason: z.optional(z.string()),
  }),
  z.object({
    type: z.literal('plan_approval_response'),
    request_id: z.string(),
    approve: looseBoolean,
    feedback: z.optional(z.string()),
  }),
]);

/** What SendMessage may do in this agent's name. Each returns what the model is told. @throws UserError for what it can mend. */
export interface MessagePort {
  prose(to: string, text: string, summary: string | undefined): Promise<string>;
  shutdownRequest(to: string, reason: string | undefined): Promise<string>;
  shutdownResponse(requestId: string, approve: boolean, reason: string | undefined): Promise<string>;
  planResponse(requestId: string, approve: boolean, feedback: string | undefined): Promise<string>;
}

const STRUCTURED_TYPES =
  '{type: "shutdown_request"}, {type: "shutdown_response", request_id, approve} or {type: "plan_approval_response", request_id, approve, feedback}';

export function createSendMessageTool(port: MessagePort): Tool {
  return defineTool({
    name: 'SendMessage',
    description:
      'Send a message to a teammate by name, to "team-lead", to an agent of your own by name or id, to everybody with "*", or to a session outside of the team at the address that it gave you (uds:…). It arrives while they work, or wakes them. A request of the team protocol is an object instead of a text.',
    input: z.object({
      to: z.string().check(z.describe('Name of a member or of an agent of yours, * for all, or uds:<path>')),
      message: z
        .union([z.string(), z.looseObject({ type: z.string() })])
        .check(z.describe(`Text, or ${STRUCTURED_TYPES}`)),
      summary: z.optional(z.string().check(z.describe('5-10 words'))),
    }),
    isReadOnly: false,
    isCoordination: true,
    access: () => ({ kind: 'none' }),
    async call({ to, message, summary }) {
      try {
        return typeof message === 'string'
          ? await port.prose(to, message, summary)
          : await structured(port, to, message);
      } catch (error) {
        if (error instanceof UserError) throw new ToolError(error.message, { cause: error });
        throw error;
      }
    },
  });
}

async function structured(port: MessagePort, to: string, raw: { type: string }): Promise<string> {
  if (to === '*') throw new ToolError('Only text can go to everybody: send a structured message to one member.');
  if (raw.type === 'plan_approval_request')
    throw new ToolError('A plan is handed in with ExitPlanMode {plan}, not with SendMessage.');
  const parsed = Structured.safeParse(raw);
  if (!parsed.success)
    throw new ToolError(
      `That is not a message that a model may send (${z.prettifyError(parsed.error)}). Text, or ${STRUCTURED_TYPES}.`,
    );
  const message = parsed.data;
  switch (message.type) {
    case 'shutdown_request':
      return port.shutdownRequest(to, message.reason);
    case 'shutdown_response':
      return port.shutdownResponse(message.request_id, message.approve, message.reason);
    case 'plan_approval_response':
      return port.planResponse(message.request_id, message.approve, message.feedback);
    default:
      return assertNever(message);
  }
}
