import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { jsonFile } from '../store/jsonFile.js';
import { hasCode, UserError } from '../util/errors.js';
import { ensureHome, type Home } from './paths.js';

const TrustFile = z.looseObject({
  folders: z.array(z.string()),
  /** Where the question was answered with no: it is asked once. */
  declined: z.optional(z.array(z.string())),
});

/** Which folders' hooks, MCP servers, allow rules and template permissions count. Kept as real paths. */
export interface Trust {
  /** Whether `dir` or a folder above it is trusted; a folder that is not there is not. */
  isTrusted(dir: string): Promise<boolean>;
  /** @throws UserError when there is no such folder. */
  trust(dir: string): Promise<void>;
  /** Forgets `dir` itself; whether it was there. A trusted folder above it goes on counting. */
  untrust(dir: string): Promise<boolean>;
  list(): Promise<readonly string[]>;
  /** Remembers a no, so that nobody asks again. `trust` forgets it. */
  decline(dir: string): Promise<void>;
  isDeclined(dir: string): Promise<boolean>;
}

export function openTrust(home: Home): Trust {
  const file = jsonFile(home.trust, TrustFile);
  const list = async () => (await file.read())?.folders ?? [];
  return {
    list,
    async isTrusted(dir) {
      const trusted = new Set(await list());
      if (trusted.size === 0) return false;
      const real = await realPath(dir);
      return real !== undefined && ancestors(real).some((folder) => trusted.has(folder));
    },
    async trust(dir) {
      const real = await realPath(dir);
      if (real === undefined) throw new UserError(`There is no folder ${dir} to trust.`);
      await ensureHome(home);
      await file.update((current) => ({
        ...current,
        folders: [...new Set([...(current?.folders ?? []), real])].sort(),
        declined: (current?.declined ?? []).filter((folder) => folder !== real),
      }));
    },
    async decline(dir) {
      const real = (await realPath(dir)) ?? dir;
      await ensureHome(home);
      await file.update((current) => ({
        ...current,
        folders: current?.folders ?? [],
        declined: [...new Set([...(current?.declined ?? []), real])],
      }));
    },
    async isDeclined(dir) {
      return ((await file.read())?.declined ?? []).includes((await realPath(dir)) ?? dir);
    },
    async untrust(dir) {
      const gone = new Set([dir, (await realPath(dir)) ?? dir]);
      if (!(await list()).some((folder) => gone.has(folder))) return false;
      await file.update((current) => ({
        ...current,
        folders: (current?.folders ?? []).filter((folder) => !gone.has(folder)),
      }));
      return true;
    },
  };
}

async function realPath(dir: string): Promise<string | undefined> {
  try {
    return await realpath(dir);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

function ancestors(path: string): string[] {
  const up = dirname(path);
  return up === path ? [path] : [path, ...ancestors(up)];
}
