import { mkdir, readFile, readlink, rm, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../host/ids.js';
import { isAlive, thisProcess } from '../host/processes.js';
import { writeAtomic } from '../store/atomicFile.js';
import { withLock } from '../store/lock.js';
import { hasCode } from '../util/errors.js';
import { Lane } from './lane.js';
import type { Release, TrafficStore } from './traffic.js';

/**
 * What all processes of a machine have in common, as files in one folder: `lane-<name>.json` while a service refuses, and
 * a symbolic link for each thing that is taken, which leads nowhere and says by whom. A link is made whole or not at all,
 * and the kernel lets one of many make it. What a dead process had is free.
 */
export function sharedStore(folder: string, ids: Ids): TrafficStore {
  const laneFile = (lane: string) => join(folder, `lane-${lane}.json`);
  let made: Promise<unknown> | undefined;
  const ready = () => {
    made ??= mkdir(folder, { recursive: true, mode: 0o700 });
    return made;
  };

  const read = async (lane: string): Promise<Lane | undefined> => {
    try {
      return Lane.parse(JSON.parse(await readFile(laneFile(lane), 'utf8')));
    } catch {
      // No file, or one that somebody spoilt: nobody is held back by it.
      return undefined;
    }
  };

  return {
    read,
    async change(lane, change) {
      await ready();
      const path = laneFile(lane);
      return withLock(path, async (stillOurs) => {
        const next = change(await read(lane));
        if (next) await writeAtomic(path, JSON.stringify(next), { durable: false, beforeRename: stillOurs });
        else await rm(path, { force: true });
        return next;
      });
    },
    async tryClaim(name) {
      await ready();
      const path = join(folder, name);
      const { pid, procStart } = await thisProcess();
      const mark = `${pid} ${ids.hex(8)} ${procStart}`;
      if (await link(mark, path)) return () => unlinkOf(mark, path);
      const holder = await holderOf(path);
      if (holder === undefined || (await isHeld(holder))) return undefined;
      // One at a time, or the second would remove what the first has just made.
      await withLock(join(folder, 'dead'), async (stillOurs) => {
        const seen = await holderOf(path);
        if (seen === undefined || (await isHeld(seen))) return;
        stillOurs();
        await unlinkOf(seen, path);
      });
      return (await link(mark, path)) ? () => unlinkOf(mark, path) : undefined;
    },
  };
}

async function link(mark: string, path: string): Promise<boolean> {
  try {
    await symlink(mark, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function holderOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EINVAL')) return undefined;
    throw error;
  }
}

function isHeld(mark: string): Promise<boolean> {
  const [, pid = '', procStart = ''] = /^(\d+) \S+ (.*)$/s.exec(mark) ?? [];
  return isAlive({ pid: Number(pid), procStart });
}

/** Gives back what is still ours. */
async function unlinkOf(mark: string, path: string): ReturnType<Release> {
  try {
    if ((await readlink(path)) === mark) await unlink(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
