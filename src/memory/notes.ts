import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { hasCode, messageOf } from '../util/errors.js';
import { snapshotNote } from './snapshot.js';

export type MemoryScope = 'user' | 'project' | 'local';

/** What of MEMORY.md an agent sees from the start (facts.md §3). */
const MAX_LINES = 200;
const MAX_BYTES = 25 * 1024;
const INDEX = 'MEMORY.md';

export const LOCAL_MEMORY = '.claude/agent-memory-local';
const SNAPSHOTS = join('.claude', 'agent-memory-snapshots');

export interface MemoryPlaces {
  readonly userHome: string;
  /** The project's main checkout: worktrees come and go, what was learnt stays. */
  readonly mainRoot: string;
  /** Whether the project may bring notes along that hold for other projects too. */
  readonly trusted: boolean;
}

/** An agent's own notes, which outlive it. */
export interface Notes {
  /** Absolute, and real as far as it is there. It is made with the first note. */
  readonly folder: string;
  /** What ends its system prompt: the notes, and how to keep them. */
  readonly text: string;
}

/** Where an agent of this name keeps its notes. */
export function memoryFolder(
  agentType: string,
  scope: MemoryScope,
  { userHome, mainRoot }: Pick<MemoryPlaces, 'userHome' | 'mainRoot'>,
): string {
  const name = folderNameOf(agentType);
  switch (scope) {
    case 'user':
      return join(userHome, '.claude', 'agent-memory', name);
    case 'project':
      return join(mainRoot, '.claude', 'agent-memory', name);
    case 'local':
      return join(mainRoot, LOCAL_MEMORY, name);
  }
}

/** An agent's name as that of a folder: `:`, `/` and whatever else means something there become `-`. */
export function folderNameOf(agentType: string): string {
  return agentType.replace(/[^\p{L}\p{M}\p{N}._-]/gu, '-').replace(/^\.+/, (dots) => '-'.repeat(dots.length));
}

/**
 * Opens the notes of an agent, from the project's snapshot where it has none yet.
 * @throws Error where its folder leads elsewhere: what is written there unasked must stay there.
 */
export async function openNotes(agentType: string, scope: MemoryScope, places: MemoryPlaces): Promise<Notes> {
  const named = memoryFolder(agentType, scope, places);
  const folder =
    scope === 'user'
      ? await realFolder(named, join(places.userHome, '.claude'))
      : await ownFolder(named, places.mainRoot);
  const mayBring = scope !== 'user' || places.trusted;
  const news = mayBring ? await newsOf(basename(named), folder, places).catch((error) => `(${messageOf(error)})`) : '';
  return {
    folder,
    text: [howTo(folder, scope), news, await indexOf(folder)].filter((part) => part !== '').join('\n\n'),
  };
}

/** Of the project's snapshot for an agent. @throws Error for one that is a link: what it leads to nobody may read unasked. */
async function newsOf(name: string, folder: string, { mainRoot }: MemoryPlaces): Promise<string> {
  const snapshot = join(SNAPSHOTS, name);
  const real = await realpath(join(mainRoot, snapshot)).catch(() => undefined);
  if (real === undefined) return '';
  if (real !== join(await realpath(mainRoot), snapshot))
    throw new Error(`The snapshot ${join(mainRoot, snapshot)} is a link to ${real} and is not used.`);
  return snapshotNote(join(mainRoot, snapshot), folder);
}

/** The folder with every link in it followed; what is not there yet stays as it is named. @throws Error outside of `base`. */
async function realFolder(folder: string, base: string): Promise<string> {
  const inside = await realOrNamed(base);
  const real = await realOrNamed(folder);
  if (!real.startsWith(`${inside}/`))
    throw new Error(`The memory ${folder} leads to ${real} and is not used: it must lie in ${base}.`);
  return real;
}

/** A folder of the project, which is no link and lies behind none: one could lead to its hooks or its settings. @throws Error */
async function ownFolder(folder: string, root: string): Promise<string> {
  const real = await realOrNamed(folder);
  if (real !== join(await realOrNamed(root), relative(root, folder)))
    throw new Error(`The memory ${folder} leads to ${real} and is not used: a project’s is no link.`);
  return real;
}

async function realOrNamed(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') || path === dirname(path)) throw error;
    await refuseDangling(path);
    return join(await realOrNamed(dirname(path)), basename(path));
  }
}

/** A link to nothing decides where a folder would be made. */
async function refuseDangling(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found) throw new Error(`${path} is a link to nothing, and no memory is kept there.`);
}

function howTo(folder: string, scope: MemoryScope): string {
  const shared = {
    user: 'It holds for all projects: keep what is true everywhere.',
    project: 'It is part of the project and may be committed: keep what others on it may read.',
    local: 'It is for this project on this machine, and git does not see it.',
  }[scope];
  return [
    '<memory>',
    `You have a memory that outlives this conversation, the folder ${folder}. ${shared}`,
    `${INDEX} in it is shown to you at the start, its first ${MAX_LINES} lines or ${MAX_BYTES / 1024} KB: keep it short, as an index, and details in files beside it. Read, Write and Edit work there without asking.`,
    'Note what would save time next time: how things are done here, decisions and their reasons, what went wrong and why. Mend or take out what has become wrong. Note no secrets, and nothing that the files of the project say themselves.',
    '</memory>',
  ].join('\n');
}

/** What a lead is told of its project's memory; empty where there is none. Nobody but a dream writes there. */
export async function projectMemory(folder: string): Promise<string> {
  const text = await readFile(join(folder, INDEX), 'utf8').catch(() => '');
  if (text.trim() === '') return '';
  const { shown } = firstOf(text.replace(/^\uFEFF/, '').trimEnd());
  return `<project-memory>\nWhat earlier sessions on this project have taught. It may have become wrong: what you see yourself counts.\n${shown}\n</project-memory>`;
}

async function indexOf(folder: string): Promise<string> {
  const path = join(folder, INDEX);
  try {
    if ((await realpath(path)) !== path) return `(${path} is a link and is not read.)`;
    if (!(await stat(path)).isFile()) return `(${path} is not a file.)`;
    const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '').trimEnd();
    if (text === '') return '';
    const { shown, isCut } = firstOf(text);
    const cut = isCut ? `\n(The rest is not shown: read ${path}, and make it shorter.)` : '';
    return `<memory-index path="${path}">\n${shown}\n</memory-index>${cut}`;
  } catch (error) {
    return hasCode(error, 'ENOENT', 'ENOTDIR') ? '' : `(${path} cannot be read: ${messageOf(error)})`;
  }
}

function firstOf(text: string): { readonly shown: string; readonly isCut: boolean } {
  const lines = text.split('\n');
  const few = lines.slice(0, MAX_LINES).join('\n');
  const bytes = Buffer.from(few);
  if (bytes.length <= MAX_BYTES) return { shown: few, isCut: lines.length > MAX_LINES };
  // Never half a line, and never half a character where the line alone is too long.
  const head = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES)).replace(/\uFFFD+$/, '');
  const end = head.lastIndexOf('\n');
  return { shown: end > 0 ? head.slice(0, end) : head, isCut: true };
}
