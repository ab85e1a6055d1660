import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { mkdir, rm, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../host/ids.js';
import { isAlive, thisProcess } from '../host/processes.js';
import { writeAtomic } from '../store/atomicFile.js';
import { withLock } from '../store/lock.js';
import { hasCode } from '../util/errors.js';
import { Lane } from './lane.js';
import type { TrafficStore } from './traffic.js';

/**
 * What all processes of a machine have in common, as files in one folder: `lane-<name>.json` while a service refuses, and
 * a symbolic link for each thing that is taken, which leads nowhere and says by whom. A link is made whole or not at all,
 * and the kernel lets one of many make it. What a dead process had is free. What is only read is read at
 * once, for that stands in the way of every request; what changes the folder may have to wait for a disk.
 */
export function sharedStore(folder: string, ids: Ids): TrafficStore {
  const laneFile = (lane: string) => join(folder, `lane-${lane}.json`);
  let made: Promise<unknown> | undefined;
  const ready = () => {
    made ??= mkdir(folder, { recursive: true, mode: 0o700 });
    return made;
  };

  const read = async (lane: string): Promise<Lane | undefined> => {
    const path = laneFile(lane);
    try {
      // A lane that is free, as nearly all are, has no file, and an error for that would be made in vain.
      if (!statSync(path, { throwIfNoEntry: false })) return undefined;
      return Lane.parse(JSON.parse(readFileSync(path, 'utf8')));
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
      const release = () => unlinkOf(mark, path);
      if (await link(mark, path)) return release;
      const holder = holderOf(path);
      if (holder === undefined || (await isHeld(holder))) return undefined;
      // One at a time, or the second would remove what the first has just made.
      await withLock(join(folder, 'dead'), async (stillOurs) => {
        const seen = holderOf(path);
        if (seen === undefined || (await isHeld(seen))) return;
        stillOurs();
        await unlinkOf(seen, path);
      });
      return (await link(mark, path)) ? release : undefined;
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

function holderOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
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
async function unlinkOf(mark: string, path: string): Promise<void> {
  try {
    if (readlinkSync(path) === mark) await unlink(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
