import { isWithin } from './inside.js';

/** Which agents of this process work where: no process's working directory tells. */
export interface WorktreeUsers {
  /** Counts `who` as working at `cwd` until the returned function is called. */
  enter(cwd: string, who: string): () => void;
  /** Those who work in `path` or below it. */
  in(path: string): readonly string[];
}

export function createWorktreeUsers(): WorktreeUsers {
  const places = new Set<{ readonly cwd: string; readonly who: string }>();
  return {
    enter(cwd, who) {
      const place = { cwd, who };
      places.add(place);
      return () => void places.delete(place);
    },
    in: (path) => [...places].filter(({ cwd }) => isWithin(cwd, path)).map(({ who }) => who),
  };
}
