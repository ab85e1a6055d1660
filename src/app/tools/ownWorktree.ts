import { resolve } from 'node:path';
import type { Ids } from '../../host/ids.js';
import type { Run } from '../../host/run.js';
import type { WorktreePort } from '../../tools/worktree.js';
import { UserError } from '../../util/errors.js';
import { contentsOf } from '../../worktree/contents.js';
import { createWorktree } from '../../worktree/create.js';
import { git, isRepository, listWorktrees } from '../../worktree/git.js';
import { isLockedByOthers, letGo } from '../../worktree/hold.js';
import { removeWorktree } from '../../worktree/remove.js';
import type { Worktree, WorktreeHooks, WorktreeSettings } from '../../worktree/worktree.js';

export interface OwnWorktreeOptions {
  readonly run: Run;
  readonly ids: Ids;
  /** Whose it is: new ones are named after it. */
  readonly agent: string;
  readonly settings: WorktreeSettings | undefined;
  readonly hooks?: WorktreeHooks | undefined;
  /** The folders that worktrees have opened to agents of this session. */
  readonly opened: Set<string>;
}

type Current = {
  readonly worktree: Worktree;
  readonly originalCwd: string;
  readonly into?: string;
  readonly isMade: boolean;
};

/** EnterWorktree and ExitWorktree for one agent. */
export function createOwnWorktree({ run, ids, agent, settings, hooks, opened }: OwnWorktreeOptions): WorktreePort {
  let current: Current | undefined;

  const made = async (name: string, cwd: string): Promise<Current> => {
    const { into, ...worktree } = await createWorktree({ repo: cwd, name, run, settings, hooks });
    return { worktree, originalCwd: cwd, into, isMade: true };
  };
  const existing = async (path: string, cwd: string): Promise<Current> => {
    const here = git(run, cwd);
    const listed = (await isRepository(here)) ? (await listWorktrees(here)).slice(1) : [];
    const entry = listed.find((worktree) => worktree.path === path);
    if (!entry) {
      const others = listed.map((worktree) => worktree.path).join(', ') || 'none';
      throw new UserError(`${path} is no worktree of this repository. Worktrees: ${others}`);
    }
    return { worktree: { path, branch: entry.branch ?? '', base: '' }, originalCwd: cwd, isMade: false };
  };

  return {
    async enter({ name, path }, cwd) {
      if (current) throw new UserError(`You are in the worktree ${current.worktree.path} already. Leave it first.`);
      current = await (path === undefined
        ? made(name ?? `${agent}-${ids.hex(6)}`, cwd)
        : existing(resolve(cwd, path), cwd));
      opened.add(current.worktree.path);
      return current.worktree;
    },
    async leave({ remove, discardChanges }) {
      if (!current) return undefined;
      const { worktree, originalCwd, into, isMade } = current;
      const { path, branch } = worktree;
      let discarded: readonly string[] = [];
      if (remove) {
        if (!isMade)
          throw new UserError(`${path} was there before EnterWorktree, so it is not removed. Use action "keep".`);
        const question = { ...worktree, into, run, hooks };
        const contents = worktree.hookMade ? [] : await contentsOf(question);
        if (contents.length > 0 && !discardChanges)
          throw new UserError(
            `${path} holds what is nowhere else: ${contents.join(', ')}. Commit and merge it, keep the worktree, or say discard_changes: true to lose it.`,
          );
        const removal = await removeWorktree({ ...question, repo: originalCwd, discard: discardChanges });
        if (!removal.removed) throw new UserError(`${path} was not removed: ${removal.why.join(', ')}.`);
        discarded = contents;
      } else if (isMade && !worktree.hookMade) {
        const outside = git(run, originalCwd);
        const entry = (await listWorktrees(outside)).find((listed) => listed.path === path);
        if (entry && !isLockedByOthers(entry)) await letGo(outside, entry);
      }
      opened.delete(path);
      current = undefined;
      return { path, branch, originalCwd, discarded };
    },
  };
}
