import * as z from 'zod/mini';
import type { HookEvent } from '../definitions/hook.js';

/** How a hook ended, whatever kind it is of. */
export interface HookEnd {
  /** Of an http hook 0 for a good answer. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What one hook, or several together, say. */
export interface HookAnswer {
  /** It must not happen, or not end yet: why. */
  readonly block?: string | undefined;
  /** `continue: false`: the agent stops, for this reason. */
  readonly stop?: string | undefined;
  readonly permission?: 'allow' | 'ask' | 'deny' | undefined;
  readonly permissionReason?: string | undefined;
  /** What a PermissionRequest hook answers in the person's place. */
  readonly request?: RequestAnswer | undefined;
  /** In place of the call's whole input. */
  readonly updatedInput?: Readonly<Record<string, unknown>> | undefined;
  /** For the model. */
  readonly context?: string | undefined;
  /** Lines for the person. */
  readonly notes: readonly string[];
}

export interface RequestAnswer {
  readonly behavior: 'allow' | 'deny';
  readonly message?: string | undefined;
  /** With a denial the turn ends too. */
  readonly interrupt?: boolean | undefined;
  /** What is allowed, asked or denied from now on; of whatever form. */
  readonly updatedPermissions?: readonly unknown[] | undefined;
}

const Input = z.optional(z.record(z.string(), z.unknown()));
const Output = z.looseObject({
  continue: z.optional(z.boolean()),
  stopReason: z.optional(z.string()),
  systemMessage: z.optional(z.string()),
  decision: z.optional(z.string()),
  reason: z.optional(z.string()),
  hookSpecificOutput: z.optional(
    z.looseObject({
      hookEventName: z.optional(z.string()),
      permissionDecision: z.optional(z.enum(['allow', 'deny', 'ask', 'defer'])),
      permissionDecisionReason: z.optional(z.string()),
      updatedInput: Input,
      additionalContext: z.optional(z.string()),
      decision: z.optional(
        z.looseObject({
          behavior: z.enum(['allow', 'deny']),
          message: z.optional(z.string()),
          interrupt: z.optional(z.boolean()),
          updatedPermissions: z.optional(z.array(z.unknown())),
          updatedInput: Input,
        }),
      ),
    }),
  ),
});
type Output = z.infer<typeof Output>;

/** Events whose plain stdout the model reads. */
const TOLD: readonly HookEvent[] = ['SessionStart', 'UserPromptSubmit'];
/** Events that exit code 2 keeps from happening, or from being the end. */
const BLOCKED: readonly HookEvent[] = [
  'PreToolUse',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'PreCompact',
];
/** Events behind which there is nothing to keep from happening, but a model to be told. */
const FED_BACK: readonly HookEvent[] = ['PostToolUse', 'PostToolUseFailure'];

/** What a hook's end means. Pure. `name` is the hook's, for what goes to the person. */
export function answerOf(event: HookEvent, name: string, end: HookEnd): HookAnswer {
  const printed = end.stdout.trim();
  if (end.exitCode === 2) return refusal(event, name, end.stderr.trim() || reasonIn(printed) || NO_REASON);
  if (end.exitCode !== 0) {
    const words = end.stderr.trim() || printed;
    return { notes: [`${name} ended with ${end.exitCode}${words === '' ? '.' : `: ${firstLine(words)}`}`] };
  }
  if (!looksLikeJson(printed))
    return { ...(TOLD.includes(event) && printed !== '' && { context: printed }), notes: [] };
  const output = parsed(printed);
  if (typeof output === 'string') return { notes: [`${name} printed JSON that says nothing: ${output}`] };
  return said(event, name, output);
}

const NO_REASON = 'No reason was given.';

function refusal(event: HookEvent, name: string, reason: string): HookAnswer {
  if (BLOCKED.includes(event)) return { block: reason, notes: [] };
  if (FED_BACK.includes(event)) return { context: reason, notes: [] };
  return { notes: [`${name} ended with 2, which counts for nothing at ${event}: ${firstLine(reason)}`] };
}

function said(event: HookEvent, name: string, output: Output): HookAnswer {
  const { hookSpecificOutput: named } = output;
  const isForThis = named?.hookEventName === undefined || named.hookEventName === event;
  const notes = output.systemMessage === undefined ? [] : [output.systemMessage];
  if (!isForThis) notes.push(`${name} answered for ${named?.hookEventName} at ${event}; that is left out.`);
  const specific = isForThis ? named : undefined;
  const mayStop = event !== 'TaskCreated';
  return {
    ...(output.continue === false && mayStop && { stop: output.stopReason ?? output.reason ?? NO_REASON }),
    ...blockOf(event, output),
    ...permissionOf(event, output, specific),
    ...(event === 'PermissionRequest' && specific?.decision && { request: specific.decision }),
    ...(specific?.decision?.updatedInput && { updatedInput: specific.decision.updatedInput }),
    ...(specific?.updatedInput && { updatedInput: specific.updatedInput }),
    ...(specific?.additionalContext !== undefined && { context: specific.additionalContext }),
    notes,
  };
}

function blockOf(event: HookEvent, { decision, reason = NO_REASON }: Output): Pick<HookAnswer, 'block'> {
  const blocks = decision === 'block' && event !== 'PreToolUse' && event !== 'PermissionRequest';
  return blocks ? { block: reason } : {};
}

/** `decision: approve | block` is the former way to say it. */
function permissionOf(
  event: HookEvent,
  { decision, reason }: Output,
  specific: Output['hookSpecificOutput'],
): Pick<HookAnswer, 'permission' | 'permissionReason'> {
  if (event !== 'PreToolUse') return {};
  const former = decision === 'block' ? 'deny' : decision === 'approve' ? 'allow' : undefined;
  const permission = specific?.permissionDecision ?? former;
  if (permission === undefined) return {};
  return {
    permission: permission === 'defer' ? 'ask' : permission,
    permissionReason: specific?.permissionDecisionReason ?? reason ?? NO_REASON,
  };
}

const STRICTNESS = ['allow', 'ask', 'deny'] as const;

/** Several answers as one: the strictest wins, and whatever is for somebody to read is kept. Pure. */
export function together(answers: readonly HookAnswer[]): HookAnswer {
  const joined = (texts: readonly (string | undefined)[]) => {
    const present = texts.filter((text) => text !== undefined && text !== '');
    return present.length === 0 ? undefined : present.join('\n');
  };
  const strictest = STRICTNESS.findLast((kind) => answers.some(({ permission }) => permission === kind));
  const requests = answers.flatMap(({ request }) => request ?? []);
  return {
    block: joined(answers.map(({ block }) => block)),
    stop: joined(answers.map(({ stop }) => stop)),
    permission: strictest,
    permissionReason: joined(
      answers.filter(({ permission }) => permission === strictest).map(({ permissionReason }) => permissionReason),
    ),
    request: requests.find(({ behavior }) => behavior === 'deny') ?? requests[0],
    updatedInput: answers.findLast(({ updatedInput }) => updatedInput)?.updatedInput,
    context: joined(answers.map(({ context }) => context)),
    notes: answers.flatMap(({ notes }) => notes),
  };
}

function looksLikeJson(text: string): boolean {
  return text.startsWith('{') && text.endsWith('}');
}

/** The output, or why it is none. */
function parsed(text: string): Output | string {
  try {
    const result = Output.safeParse(withoutNulls(JSON.parse(text)));
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    return `"${issue?.path.join('.')}" is not what it must be`;
  } catch {
    return 'it is not JSON';
  }
}

/** Where each field is one of ours, what a program writes as null is not there; inside of an input it is the tool's. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const present = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(
    present.map(([key, field]) => [
      key,
      key === 'hookSpecificOutput' || key === 'decision' ? withoutNulls(field) : field,
    ]),
  );
}

function reasonIn(printed: string): string | undefined {
  if (!looksLikeJson(printed)) return undefined;
  const output = parsed(printed);
  if (typeof output === 'string') return undefined;
  return output.reason ?? output.hookSpecificOutput?.permissionDecisionReason ?? output.stopReason;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 300) ?? '';
}
