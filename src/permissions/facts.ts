import type { Access } from './access.js';
import { filesChangedBy } from './shell/fileCommand.js';
import { isFreeCommand, pathsNamedBy, readsWholeFolders } from './shell/freeCommand.js';
import { changesFiles, guessedPaths, pathLikeWords, patternsIn, seemsToChange } from './shell/namedFiles.js';
import { layersOf } from './shell/runsOthers.js';
import { isKnown, type Part, type Script, unread, type Word } from './shell/script.js';
import { isSafeAssignment } from './shell/variables.js';

/** A call as the rules see it. Paths are absolute. */
export interface Facts {
  readonly toolName: string;
  /** Nothing about the call needs a permission but what it reads. */
  readonly isFree: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** What a shell command seems to name, to be refused by rules but never allowed by them. */
  readonly mayRead: readonly string[];
  readonly mayWrite: readonly string[];
  /** What of it programs such as `tee` and `ln` change, which a rule with a `*` may be for. */
  readonly changes: readonly string[];
  readonly shell?: ShellFacts;
  readonly specifier?: string;
  /** `mcp__server`, where the call is about an MCP server without being one of its tools. */
  readonly server?: string | undefined;
  readonly input?: unknown;
}

export interface ShellFacts {
  readonly script: Script;
  readonly parts: readonly PartFacts[];
}

/** One command of a script. Paths are absolute, a linked one is there twice, as named and as it really is. */
export interface PartFacts {
  readonly part: Part;
  /** `free`: it only reads. `files`: it changes files and nothing else. `other`: only a rule can allow it. */
  readonly kind: 'free' | 'files' | 'other';
  /** It goes to what it reads. */
  readonly isMove: boolean;
  /** What it reads and writes itself, where it is not `other`. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** What the shell opens for it. */
  readonly redirects: { readonly reads: readonly string[]; readonly writes: readonly string[] };
  /** It sets a variable that decides what programs do, or a redirect's file is not known: no rule with a `*` covers it. */
  readonly isUnsafe: boolean;
}

interface Place {
  readonly cwd: string;
  readonly home: string;
}

/** What every file tool would be judged by for reading one file. */
export function readingOf(path: string): Facts {
  return { ...NOTHING, toolName: 'Read', reads: [path] };
}

const NOTHING = { isFree: false, reads: [], writes: [], mayRead: [], mayWrite: [], changes: [] };

/**
 * @param script what the command of a shell call consists of; one that nobody took apart is not understood.
 * @param hasGuardedFiles whether rules keep some files from being read, wherever they lie.
 */
export function factsOf(
  toolName: string,
  {
    access,
    script,
    input,
  }: { readonly access: Access; readonly script?: Script | undefined; readonly input?: unknown },
  place: Place,
  hasGuardedFiles: boolean,
): Facts {
  const nothing = { ...NOTHING, toolName, input };
  switch (access.kind) {
    case 'none':
      return { ...nothing, isFree: true, server: access.server };
    case 'read':
      return { ...nothing, reads: access.paths };
    case 'write':
      return { ...nothing, writes: access.paths };
    case 'other':
      return {
        ...nothing,
        server: access.server,
        ...(access.specifier !== undefined && { specifier: access.specifier }),
      };
    case 'shell': {
      const { realPathOf = (path: string) => path, filesLike = () => [] } = access;
      const linked = (paths: readonly string[]) => [...new Set(paths.flatMap((path) => [path, realPathOf(path)]))];
      const disk = { linked, filesLike };
      return { ...nothing, ...shellFacts(script ?? unread(access.command), place, hasGuardedFiles, disk) };
    }
  }
}

type Linked = (paths: readonly string[]) => readonly string[];

interface Disk {
  readonly linked: Linked;
  readonly filesLike: (pattern: string) => readonly string[];
}

function shellFacts(script: Script, place: Place, hasGuardedFiles: boolean, { linked, filesLike }: Disk) {
  const parts = script.parts.map((part) => partFacts(part, place, hasGuardedFiles, linked));
  const others = [...parts.filter(({ kind }) => kind === 'other').map(({ part }) => part), ...script.hidden];
  const named = others.map((part) => ({ part, paths: linked(pathLikeWords(part, place)) }));
  const guessed = script.isUnderstood ? [] : linked(guessedPaths(script.text, place));
  const globbed = (part: Part) => linked(patternsIn(part, place).flatMap(filesLike));
  const isChange = ({ words }: Part) => seemsToChange(words.map(({ text }) => text).join(' '));
  const all = [...script.parts, ...script.hidden];
  return {
    shell: { script, parts },
    isFree:
      script.isUnderstood &&
      parts.every(({ kind, isUnsafe, redirects }) => kind === 'free' && !isUnsafe && redirects.writes.length === 0),
    reads: parts.flatMap(({ reads, redirects }) => [...reads, ...redirects.reads]),
    writes: parts.flatMap(({ writes, redirects }) => [...writes, ...redirects.writes]),
    mayRead: [...named.flatMap(({ paths }) => paths), ...guessed, ...all.flatMap(globbed)],
    mayWrite: [
      ...named.flatMap(({ part, paths }) => (isChange(part) ? paths : [])),
      ...(/>/.test(script.text) || seemsToChange(script.text) ? guessed : []),
      ...all.filter(isChange).flatMap(globbed),
    ],
    changes: named.flatMap(({ part, paths }) => (changesFiles(part) ? paths : [])),
  };
}

function partFacts(part: Part, { home }: Place, hasGuardedFiles: boolean, linked: Linked): PartFacts {
  const words = layersOf(part.words).at(-1) ?? [];
  const inEach = (find: (folder: string) => readonly string[]) => linked(part.folders.flatMap(find));
  const opened = (kind: 'read' | 'write') => {
    const targets = part.redirects
      .filter((one) => one.kind === kind && !isDevice(one.target))
      .map(({ target }) => target);
    return inEach((folder) =>
      targets.flatMap((word) => pathsNamedBy({ words: [CAT, word] }, folder, home).slice(0, 1)),
    );
  };
  const own = {
    part,
    isMove: words[0]?.text === 'cd',
    redirects: { reads: opened('read'), writes: opened('write') },
    isUnsafe:
      !part.assignments.every((one) => isSafeAssignment(one, part.words.length > 0)) ||
      part.redirects.some(({ target }) => !isKnown(target) && !target.isStream),
  };
  const isFree = words.length === 0 || isFreeCommand({ words });
  if (isFree && !(hasGuardedFiles && readsWholeFolders({ words })))
    return { ...own, kind: 'free', reads: inEach((folder) => pathsNamedBy({ words }, folder, home)), writes: [] };
  const changed = part.folders.map((folder) => filesChangedBy(words, folder, home));
  if (changed.every((files) => files !== undefined))
    return { ...own, kind: 'files', reads: [], writes: linked(changed.flat()) };
  return { ...own, kind: 'other', reads: [], writes: [] };
}

const CAT: Word = { text: 'cat' };
const isDevice = ({ text, isStream = false }: Word) => isStream || /^\/dev\/(null|stdin|stdout|stderr)$/.test(text);
