import * as z from 'zod/mini';
import { PermissionMode } from '../permissions/mode.js';
import { COLORS } from '../util/colors.js';
import { HooksByEvent } from './hook.js';
import { splitToolList, withoutAlias } from './toolNames.js';

export const AgentColor = z.enum(COLORS, 'must be one of red, blue, green, yellow, purple, orange, pink, cyan');
export type AgentColor = z.infer<typeof AgentColor>;

/** How hard the model thinks: a word of the API, or a number for models that take one. */
export const Effort = z.union(
  [z.enum(['low', 'medium', 'high', 'xhigh', 'max']), z.int().check(z.positive())],
  'must be low, medium, high, xhigh, max or a number',
);
export type Effort = z.infer<typeof Effort>;

/** `sonnet`, `opus`, `haiku`, `inherit`, or a model's full id. */
export const ModelName = z
  .string('must be text')
  .check(z.regex(/^\S+$/, 'must be one word: sonnet, opus, haiku, inherit or a full id'));

/** A permission mode as people write it: `manual` is another word for `default`. */
export const Mode = z.pipe(
  z.transform((value) => (value === 'manual' ? 'default' : value)),
  z.enum(PermissionMode.options, `must be one of ${PermissionMode.options.join(', ')}`),
);

/** Tools as one string with commas or spaces, or as a list; nothing at all is an empty list. */
export const ToolList = z.pipe(
  z.nullable(z.union([z.string(), z.array(z.string())], 'must be a list of tools')),
  z.transform((value, context): readonly string[] => {
    const entries: string[] = [];
    for (const text of value === null ? [] : [value].flat()) {
      const split = splitToolList(text);
      if (split) entries.push(...split.map(withoutAlias));
      else
        context.issues.push({
          code: 'custom',
          input: text,
          message: `must be a list of tools, and ${JSON.stringify(text)} is none: parentheses belong right behind a tool's name`,
        });
    }
    return entries;
  }),
);

const Text = z.string('must be text').check(z.minLength(1, 'must not be empty'));
const Flag = z.union([z.boolean(), z.stringbool()], 'must be true or false');
const Names = z.pipe(
  z.union([z.string(), z.array(z.string())], 'must be a list of names'),
  z.transform((value): readonly string[] =>
    (typeof value === 'string' ? value.split(/[\s,]+/) : value.map((name) => name.trim())).filter(
      (name) => name !== '',
    ),
  ),
);
const Named = z.record(z.string(), z.unknown());
/** A name stands for the session's own server; anything else is a server of this agent's: `{name: its configuration}`. */
const Servers = z.pipe(
  z.union([z.array(z.union([z.string(), Named])), Named], 'must be a list of names and inline servers'),
  z.transform((value): readonly (string | Readonly<Record<string, unknown>>)[] =>
    Array.isArray(value) ? value : Object.entries(value).map(([name, config]) => ({ [name]: config })),
  ),
);

/** The optional keys of a definition, as files and `--agents` write them. */
export const AgentFields = z.object({
  /** Absent, or holding `*`: all. Empty: none. */
  tools: z.optional(ToolList),
  disallowedTools: z.optional(ToolList),
  model: z.optional(ModelName),
  effort: z.optional(Effort),
  permissionMode: z.optional(Mode),
  isolation: z.optional(z.enum(['worktree', 'remote'], 'must be worktree or remote')),
  background: z.optional(Flag),
  /** What it sees of its parent's conversation: `true` everything, `turn` the current turn, absent nothing. */
  forksParentContext: z.optional(z.union([z.boolean(), z.literal('turn')], 'must be true, false or turn')),
  requiredMcpServers: z.optional(Names),
  mcpServers: z.optional(Servers),
  color: z.optional(AgentColor),
  maxTurns: z.optional(z.int('must be a whole number').check(z.positive('must be at least 1'))),
  skills: z.optional(Names),
  /** Goes before the first user turn. */
  initialPrompt: z.optional(Text),
  memory: z.optional(z.enum(['user', 'project', 'local'], 'must be user, project or local')),
  omitClaudeMd: z.optional(Flag),
  omitGitStatus: z.optional(Flag),
  /** The body goes behind the default system prompt instead of replacing it. */
  appendSystemPrompt: z.optional(Flag),
  hooks: z.optional(HooksByEvent),
  /** Said again in every user message. */
  criticalSystemReminder: z.optional(Text),
  /** Runs once: its result carries no id and no usage line. */
  oneShot: z.optional(Flag),
});
export type AgentFields = Readonly<z.infer<typeof AgentFields>>;
