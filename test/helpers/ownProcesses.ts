import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from './eventually.js';

/** The processes whose environment names a test's own folder, but not this one. */
export async function processesOf(folder: string): Promise<{ pid: number; command: string }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(join('/proc', pid, 'environ'), 'utf8').catch(() => '');
      if (!environment.includes(folder)) return [];
      const command = await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '');
      return [{ pid: Number(pid), command: command.replaceAll('\0', ' ').trim() }];
    }),
  );
  return found.flat();
}

/** Kills them until there are none: a run that was killed itself leaves its tmux server behind. */
export async function endProcessesOf(folder: string): Promise<void> {
  await eventually(async () => {
    const left = await processesOf(folder);
    for (const { pid } of left) kill(pid);
    expect(left).toEqual([]);
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
