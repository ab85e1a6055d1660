import type { Clock } from '../host/clock.js';
import type { Run, RunResult } from '../host/run.js';
import type { BaseRef } from './base.js';

export interface Worktree {
  /** Absolute. */
  readonly path: string;
  /** Empty where a hook made it. */
  readonly branch: string;
  /** The commit it started from; empty where a hook made it. */
  readonly base: string;
  /** A `WorktreeCreate` hook made it: git is not asked about it, and only a `WorktreeRemove` hook takes it away. */
  readonly hookMade?: boolean | undefined;
}

/** The setting `worktree`. Paths are relative to the project's root. */
export interface WorktreeSettings {
  readonly baseRef?: BaseRef | undefined;
  /** The only folders that it has, beside the files above them (git's cone mode). */
  readonly sparsePaths?: readonly string[] | undefined;
  /** Folders of the main checkout that it shares by a symbolic link. */
  readonly symlinkDirectories?: readonly string[] | undefined;
}

/** Runs the hooks of these events; absent where there are none. */
export interface WorktreeHooks {
  /** In place of git. What it prints is the path. */
  readonly create?: ((worktree: { readonly name: string; readonly cwd: string }) => Promise<RunResult>) | undefined;
  readonly remove?: ((worktree: { readonly path: string }) => Promise<RunResult>) | undefined;
}

export type WithLock = <T>(path: string, work: () => Promise<T>) => Promise<T>;

export interface WorktreeRequest {
  /** Any folder of any checkout of the repository. */
  readonly repo: string;
  readonly name: string;
  readonly run: Run;
  readonly settings?: WorktreeSettings | undefined;
  readonly hooks?: WorktreeHooks | undefined;
  readonly withLock?: WithLock | undefined;
  readonly clock?: Clock | undefined;
}
