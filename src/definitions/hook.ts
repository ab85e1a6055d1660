import * as z from 'zod/mini';
import { parseRule } from '../permissions/rule.js';

/** What hooks are run for (facts.md, Hooks). */
export const HOOK_EVENTS = [
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'PreCompact',
  'WorktreeCreate',
  'WorktreeRemove',
  'Notification',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

const Text = z.string('must be text').check(z.minLength(1, 'must not be empty'));
const Flag = z.optional(z.boolean('must be true or false'));
const isRule = (text: string) => succeeds(() => parseRule(text));
const isExpression = (text: string) => text.trim() === '*' || isPlainMatcher(text) || succeeds(() => new RegExp(text));

const COMMON = {
  /** One permission rule: only calls that it speaks of. */
  if: z.optional(Text.check(z.refine(isRule, 'must be one permission rule, such as "Bash(git push *)"'))),
  /** Seconds. */
  timeout: z.optional(z.number('must be a number of seconds').check(z.positive('must be more than 0'))),
  statusMessage: z.optional(z.string('must be text')),
  once: Flag,
};

export const CommandHook = z.looseObject({
  ...COMMON,
  type: z.literal('command'),
  command: Text,
  /** Present: `command` is a program, started without a shell. */
  args: z.optional(z.array(z.string('must be text'), 'must be a list')),
  /** Nobody waits for it; with `asyncRewake` the person is told why it would have blocked. */
  async: Flag,
  asyncRewake: Flag,
  shell: z.optional(z.enum(['bash', 'powershell'], 'must be bash or powershell')),
});
export type CommandHook = z.infer<typeof CommandHook>;

export const HttpHook = z.looseObject({
  ...COMMON,
  type: z.literal('http'),
  url: Text.check(z.refine((url) => /^https?:\/\//.test(url), 'must begin with http:// or https://')),
  headers: z.optional(z.record(z.string(), z.string('must be text'), 'must be an object')),
  /** The variables that headers may name. */
  allowedEnvVars: z.optional(z.array(z.string('must be text'), 'must be a list')),
});
export type HttpHook = z.infer<typeof HttpHook>;

const QUESTION = {
  ...COMMON,
  /** `$ARGUMENTS` in it stands for what happens. */
  prompt: Text,
  model: z.optional(Text),
};

/** A question to a small model; to one that may read files first, where it is an `agent`. */
const PromptHook = z.looseObject({ ...QUESTION, type: z.literal('prompt') });
const AgentHook = z.looseObject({ ...QUESTION, type: z.literal('agent') });
export type QuestionHook = z.infer<typeof PromptHook> | z.infer<typeof AgentHook>;

/** A tool of a connected MCP server; `${tool_input.file_path}` in a text of its input stands for what happens. */
export const McpToolHook = z.looseObject({
  ...COMMON,
  type: z.literal('mcp_tool'),
  server: Text,
  tool: Text,
  input: z.optional(z.record(z.string(), z.unknown(), 'must be an object')),
});
export type McpToolHook = z.infer<typeof McpToolHook>;

export const Hook = z.discriminatedUnion('type', [CommandHook, HttpHook, PromptHook, AgentHook, McpToolHook], {
  error: 'must be an object with the "type" command, http, prompt, agent or mcp_tool',
});
export type Hook = z.infer<typeof Hook>;

const HookGroup = z.looseObject(
  {
    /** Empty, `*` or absent: everything. */
    matcher: z.optional(
      z
        .string('must be text')
        .check(z.refine(isExpression, 'must be names with | between them, or a regular expression')),
    ),
    hooks: z.array(Hook, 'must be a list of hooks'),
  },
  'must be an object with "hooks"',
);

/** The hooks of one event. */
export const HookGroups = z.array(HookGroup, 'must be a list of objects with "hooks"');

/** Hooks by event, as settings, plugins and front matter write them. */
export const HooksByEvent = z.record(z.string(), HookGroups, 'must be hooks by event');
export type HooksByEvent = z.infer<typeof HooksByEvent>;

/** Whether the matcher is a name or a list of names, and no expression. */
export function isPlainMatcher(matcher: string): boolean {
  return /^[\w\- ,|]*$/.test(matcher);
}

/** What of it is never run, a line each. */
export function hookNotices({ file, events }: { readonly file: string; readonly events: HooksByEvent }): string[] {
  return Object.entries(events).flatMap(([event, groups]) => {
    if (!KNOWN.has(event)) return [`${file}: "hooks.${event}" is no event that troupe knows; it is left out.`];
    const isLeft = ({ type }: Hook) => MAKES_PATHS.has(event) && (isQuestion(type) || type === 'mcp_tool');
    const types = new Set(groups.flatMap(({ hooks }) => hooks.filter(isLeft).map(({ type }) => type)));
    return [...types].map(
      (type) => `${file}: "hooks.${event}" has hooks of the type ${type}, which troupe does not run.`,
    );
  });
}

/** Whether a hook of this type is answered by a model. */
const isQuestion = (type: string) => type === 'prompt' || type === 'agent';
/** Events at which a program has to do something. */
const MAKES_PATHS = new Set(['WorktreeCreate', 'WorktreeRemove']);

/** Those of ours, and those that other programs know and that never happen here. */
const KNOWN = new Set<string>([
  ...HOOK_EVENTS,
  ...['Setup', 'UserPromptExpansion', 'PermissionDenied', 'PostToolBatch', 'MessageDisplay', 'StopFailure'],
  ...['InstructionsLoaded', 'ConfigChange', 'CwdChanged', 'DirectoryAdded', 'FileChanged', 'PostCompact'],
  ...['PreModelSwitch', 'PostModelSwitch', 'Elicitation', 'ElicitationResult'],
]);

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
