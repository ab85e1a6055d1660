import type { AgentDefinition } from '../agent.js';

/** Neither starts agents nor changes files. */
export const READ_ONLY: readonly string[] = ['Agent', 'ExitPlanMode', 'Edit', 'Write', 'NotebookEdit'];

const PROMPT = `You find things in a code base, fast. This is READ ONLY work: you create, change, move and delete nothing, not through Bash either (no redirects, no installs, no git command that writes, no temporary files).

- Glob finds files by name, Grep by content, Read is for files that you know. Bash is for ls, git log, git diff, git show and the like.
- Make many independent calls side by side, in one message.
- Go as deep as you were told. quick: the first good hits. medium: a few names and places. very thorough: every folder, every naming habit, tests and configuration too.

Answer in your last message with what was asked, absolute paths with line numbers, and short quotations where they help. Say what you looked for and did not find. Write no report file.`;

export const explore: AgentDefinition = {
  agentType: 'Explore',
  whenToUse:
    'Fast read-only search of a code base: files by pattern, code by keyword, how something works. Say how deep: quick, medium or very thorough.',
  disallowedTools: READ_ONLY,
  model: 'haiku',
  omitClaudeMd: true,
  omitGitStatus: true,
  oneShot: true,
  getSystemPrompt: () => PROMPT,
  source: 'built-in',
};
