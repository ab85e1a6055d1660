import * as z from 'zod/mini';

/** The settings about instruction files, CLAUDE.md and AGENTS.md (facts.md §8). */
export const InstructionKeys = {
  /** Which of them are read; `claude-md-or-agents-md` when absent. */
  instructionFiles: z.optional(
    z.enum(
      ['claude-md-or-agents-md', 'claude-md-and-agents-md', 'claude-md', 'managed-only'],
      'must be claude-md-or-agents-md, claude-md-and-agents-md, claude-md or managed-only',
    ),
  ),
  /** Those that are left out: patterns over absolute paths, as in a .gitignore. */
  claudeMdExcludes: z.optional(z.array(z.string('must be text'), 'must be a list')),
};
type Keys = z.infer<z.ZodMiniObject<typeof InstructionKeys>>;

/** Only these of all settings. */
export function instructionKeysOf({ instructionFiles, claudeMdExcludes }: Keys): Keys {
  return { ...(instructionFiles && { instructionFiles }), ...(claudeMdExcludes && { claudeMdExcludes }) };
}
