import type { Run } from '../../host/run.js';
import { createWorktree } from '../../worktree/create.js';
import { git, headOf } from '../../worktree/git.js';
import { removeWorktree } from '../../worktree/remove.js';
import { reopenWorktree } from '../../worktree/reopen.js';
import { createWorktreeUsers } from '../../worktree/users.js';
import type { Worktree, WorktreeHooks, WorktreeSettings } from '../../worktree/worktree.js';

/** Worktrees for agents that are to be by themselves. */
export interface Isolation {
  create(agentId: string, cwd: string): Promise<Worktree>;
  /** Makes sure that it is there still. @throws UserError */
  reopen(worktree: Worktree, cwd: string): Promise<void>;
  /** Counts the agent as working there until the returned function is called. */
  enter(cwd: string, agentId: string): () => void;
  /** Removes one that holds nothing. Returns whether it did. */
  release(worktree: Worktree, cwd: string): Promise<boolean>;
}

/** Worktrees for the sub-agents of one session. */
export function createIsolation(
  run: Run,
  settings: WorktreeSettings | undefined,
  hooks?: WorktreeHooks | undefined,
): Isolation {
  const users = createWorktreeUsers();
  return {
    create: (agentId, cwd) => createWorktree({ repo: cwd, name: agentId, run, settings, hooks }),
    reopen: (worktree, cwd) => reopenWorktree({ worktree, repo: cwd, run }),
    enter: (cwd, agentId) => users.enter(cwd, agentId),
    async release(worktree, cwd) {
      const head = worktree.hookMade ? undefined : await headOf(git(run, cwd));
      const into = head?.branch ?? head?.commit;
      const { removed } = await removeWorktree({ ...worktree, into, repo: cwd, run, users, hooks });
      return removed;
    },
  };
}
