import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { ToolError, UserError } from '../util/errors.js';

export interface Entered {
  readonly path: string;
  /** Empty where a hook made it, or on a detached HEAD. */
  readonly branch: string;
}

export interface Left extends Entered {
  /** Where the agent worked before. */
  readonly originalCwd: string;
  /** What went with it, for a person. */
  readonly discarded: readonly string[];
}

/** The worktree that one agent works in of its own will. All of it @throws UserError. */
export interface WorktreePort {
  /** In a new worktree of this name, one with a name of its own, or one that exists. */
  enter(
    where: { readonly name?: string | undefined; readonly path?: string | undefined },
    cwd: string,
  ): Promise<Entered>;
  /** Nothing where the agent is in none. */
  leave(how: { readonly remove: boolean; readonly discardChanges: boolean }): Promise<Left | undefined>;
}

export function createEnterWorktreeTool(port: Pick<WorktreePort, 'enter'>): Tool {
  return defineTool({
    name: 'EnterWorktree',
    description:
      'Go on in a git worktree: a checkout of its own, on a new branch from the commit you are at, or an existing one by its path. Only when you are asked to work in a worktree.',
    input: z.object({
      name: z.optional(z.string().check(z.minLength(1), z.describe('Of a new one; made up when absent'))),
      path: z.optional(z.string().check(z.minLength(1), z.describe('Of one that exists'))),
    }),
    isReadOnly: false,
    access: ({ name, path }) => ({ kind: 'other', specifier: path ?? name ?? 'new' }),
    async call({ name, path }, { cwd }) {
      if (name !== undefined && path !== undefined)
        throw new ToolError('Give a name for a new worktree or the path of one that exists, not both.');
      const entered = await forModel(() => port.enter({ name, path }, cwd));
      const message = `You work in ${entered.path} now${entered.branch === '' ? '' : `, on branch ${entered.branch}`}. ExitWorktree brings you back.`;
      return {
        content: JSON.stringify({ worktreePath: entered.path, worktreeBranch: entered.branch || undefined, message }),
        cwd: entered.path,
      };
    },
  });
}

export function createExitWorktreeTool(port: Pick<WorktreePort, 'leave'>): Tool {
  return defineTool({
    name: 'ExitWorktree',
    description: 'Leave the worktree that EnterWorktree brought you to, back to where you were; keep it, or remove it.',
    input: z.object({
      action: z.enum(['keep', 'remove']),
      discard_changes: z._default(
        z
          .boolean()
          .check(z.describe('Remove it though files or commits are lost with it. Only when the user wants that')),
        false,
      ),
    }),
    isReadOnly: false,
    access: ({ action, discard_changes }) =>
      action === 'remove' && discard_changes ? { kind: 'other', specifier: 'discard' } : { kind: 'none' },
    async call({ action, discard_changes }) {
      if (action === 'keep' && discard_changes) throw new ToolError('discard_changes is for action "remove" only.');
      const left = await forModel(() => port.leave({ remove: action === 'remove', discardChanges: discard_changes }));
      if (!left) return 'You are in no worktree of EnterWorktree, so there is nothing to leave. Nothing was changed.';
      const { path, branch, originalCwd, discarded } = left;
      const lost = discarded.length === 0 ? '' : ` Discarded: ${discarded.join(', ')}.`;
      const message = `${action === 'keep' ? `Kept ${path}` : `Removed ${path}`}. You work in ${originalCwd} again.${lost}`;
      const facts = { action, originalCwd, worktreePath: path, worktreeBranch: branch || undefined, message };
      return { content: JSON.stringify({ ...facts, ...(discarded.length > 0 && { discarded }) }), cwd: originalCwd };
    },
  });
}

async function forModel<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError) throw new ToolError(error.message, { cause: error });
    throw error;
  }
}
