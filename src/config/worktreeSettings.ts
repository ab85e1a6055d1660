import * as z from 'zod/mini';

const InnerFolders = z.optional(
  z.array(
    z.string('must be text').check(z.refine(isInner, 'must be the path of a folder inside the project')),
    'must be a list of folders',
  ),
);

/** The setting `worktree`: how the worktrees of agents are made. */
export const WorktreeKeys = z.looseObject(
  {
    /** `head` (default): from the commit that is checked out; `fresh`: from origin's default branch. */
    baseRef: z.optional(z.enum(['head', 'fresh'], 'must be head or fresh')),
    /** The only folders that a worktree has, beside the files above them. */
    sparsePaths: InnerFolders,
    /** Folders of the main checkout that worktrees share by a link. */
    symlinkDirectories: InnerFolders,
  },
  'must be an object',
);

function isInner(path: string): boolean {
  return !/^[-/\\]|^$|\0|\n/.test(path) && path.split('/').every((part) => part !== '..' && part !== '.');
}
