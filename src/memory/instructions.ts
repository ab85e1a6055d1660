import { lstat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { markdownFiles } from '../definitions/files.js';
import { findProject, type Project } from '../definitions/projectFolders.js';
import { escapeXml } from '../util/text.js';
import {
  createInstructionReader,
  type InstructionFile,
  type InstructionReader,
  type Trusted,
} from './instructionReader.js';
import { parseRuleFile, type Rule, speaksOf } from './instructionRules.js';

/** Setting `instructionFiles` (facts.md §8). */
export type InstructionFiles = 'claude-md-or-agents-md' | 'claude-md-and-agents-md' | 'claude-md' | 'managed-only';

export interface InstructionPlaces {
  /** Absolute. */
  readonly cwd: string;
  readonly userHome: string;
  /** The folder of what an administrator decides for everybody. */
  readonly managed?: string | undefined;
  /** Whether what the project imports may lie outside of it. */
  readonly trusted: boolean;
  readonly files?: InstructionFiles | undefined;
  readonly excludes?: readonly string[] | undefined;
}

/** What one agent is told of the instructions of user and project: each file once. */
export interface Instructions {
  /** All that holds from the start, read from disk; empty where there is nothing. What was told before counts no more. */
  opening(): Promise<string>;
  /** What a file that a tool has touched brings with it: its folders' own instructions, and rules about it. Absolute. */
  touched(paths: readonly string[]): Promise<string>;
  /** A line for each file that had to be left out of the opening. */
  problems(): Promise<readonly string[]>;
  /** One that has been told the same, for an agent that goes on from this one's conversation. */
  copy(): Instructions;
}

/** In characters: all that is told at the start should be shorter. */
const MUCH = 40_000;
const CLAUDE = ['CLAUDE.md', join('.claude', 'CLAUDE.md')];
const LOCAL = 'CLAUDE.local.md';

export function createInstructions(places: InstructionPlaces, begin = () => tell(places)): Instructions {
  let told: Promise<Told> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const current = () => {
    told ??= begin();
    return told;
  };
  return {
    async opening() {
      told = tell(places);
      const { files, problems } = await told;
      return wrapped(files, problems, OPENING);
    },
    touched(paths) {
      // One behind the other: two calls of one batch must not be told the same.
      const next = last.then(async () => touchedBy(paths, await current(), places));
      last = next.catch(() => {});
      return next;
    },
    problems: async () => (await current()).problems,
    copy: () => createInstructions(places, async () => toldTheSame(await current(), places)),
  };
}

interface Told {
  readonly project: Project;
  readonly reader: InstructionReader;
  readonly files: readonly InstructionFile[];
  readonly problems: readonly string[];
  /** Rules that wait for a file that they speak of. */
  readonly waiting: Set<Rule>;
  /** Which names the folders of the project are asked for. */
  readonly names: Names;
  /** What tools have brought along since. */
  readonly since: InstructionFile[];
}

interface Names {
  readonly claude: boolean;
  readonly agents: boolean;
}

/** managed → user → every folder from the root of the file system to the directory, a `.local` file behind the others. */
async function tell(places: InstructionPlaces): Promise<Told> {
  const { cwd, userHome, managed, trusted, files: mode = 'claude-md-or-agents-md', excludes = [] } = places;
  const project = await findProject(cwd);
  const reader = createInstructionReader({ userHome, excludes, roots: [project.root, project.mainRoot] });
  const within = (...folders: string[]) => (trusted ? {} : { within: folders });
  const waiting = new Set<Rule>();
  const files: InstructionFile[] = [];
  if (managed !== undefined)
    files.push(...(await reader.read(join(managed, 'CLAUDE.md'), 'for everybody on this machine', { always: true })));
  let names: Names = { claude: false, agents: false };
  if (mode !== 'managed-only') {
    const ofUser = join(userHome, '.claude');
    files.push(...(await reader.read(join(ofUser, 'CLAUDE.md'), 'of the user', {})));
    const rules = await rulesIn([join(ofUser, 'rules')], project.root, 'of the user', {}, reader);
    files.push(...settle(rules, waiting));
    const outer = outerFolders(project);
    const folders = [...outer, ...project.folders.toReversed()];
    names = { claude: true, agents: await readsAgents(mode, folders, project, userHome) };
    const about = { project, reader, waiting, names };
    for (const folder of outer) files.push(...(await readFolder(folder, about, ABOVE, within(folder))));
    for (const folder of project.folders.toReversed())
      files.push(...(await readFolder(folder, about, OWN, within(project.root, project.mainRoot))));
  }
  const size = files.reduce((sum, { text }) => sum + text.length, 0);
  if (size > MUCH)
    reader.problem(`The instructions have ${size} characters, more than ${MUCH}: every request carries them.`);
  return { project, reader, files, problems: reader.problems(), waiting, names, since: [] };
}

/** Above the project, the outermost first. For a worktree those above the main checkout, in which it mostly lies. */
function outerFolders({ mainRoot }: Project): string[] {
  const folders: string[] = [];
  for (let folder = mainRoot; folder !== dirname(folder); ) {
    folder = dirname(folder);
    folders.unshift(folder);
  }
  return folders;
}

async function readsAgents(
  mode: InstructionFiles,
  folders: readonly string[],
  project: Project,
  userHome: string,
): Promise<boolean> {
  if (mode !== 'claude-md-or-agents-md') return mode === 'claude-md-and-agents-md';
  const ofUser = join(userHome, '.claude', 'CLAUDE.md');
  for (const folder of folders)
    for (const name of [...CLAUDE, LOCAL]) {
      const path = await placeOf(folder, name, project);
      if (path !== undefined && path !== ofUser) return false;
    }
  return true;
}

const ABOVE = 'of a folder above the project';
const OWN = 'of the project';

async function readFolder(
  folder: string,
  { project, reader, waiting, names }: Pick<Told, 'project' | 'reader' | 'waiting' | 'names'>,
  origin: string,
  trusted: Trusted,
): Promise<InstructionFile[]> {
  const files: InstructionFile[] = [];
  const add = async (name: string, from: string) => {
    const path = await placeOf(folder, name, project);
    if (path !== undefined) files.push(...(await reader.read(path, from, trusted)));
  };
  if (names.claude) for (const name of CLAUDE) await add(name, origin);
  if (names.agents) await add('AGENTS.md', origin);
  if (!names.claude) return files;
  if (origin === OWN) {
    const places = placesOf(folder, join('.claude', 'rules'), project);
    files.push(...settle(await rulesIn(places, folder, origin, trusted, reader), waiting));
  }
  await add(LOCAL, `${origin}, of this machine alone`);
  return files;
}

/** Where a file is: in a worktree also that of the main checkout counts, for git carries over only what is committed. */
async function placeOf(folder: string, name: string, project: Project): Promise<string | undefined> {
  for (const path of placesOf(folder, name, project)) if (await lstat(path).catch(() => undefined)) return path;
  return undefined;
}

function placesOf(folder: string, name: string, { root, mainRoot }: Project): string[] {
  const inside = relative(root, folder);
  const isInside = root !== mainRoot && inside !== '..' && !inside.startsWith('../');
  return [join(folder, name), ...(isInside ? [join(mainRoot, inside, name)] : [])];
}

async function rulesIn(
  folders: readonly string[],
  base: string,
  origin: string,
  trusted: Trusted,
  reader: InstructionReader,
): Promise<Rule[]> {
  const rules: Rule[] = [];
  const names = new Set<string>();
  for (const folder of folders)
    for (const path of await markdownFiles(folder)) {
      const name = relative(folder, path);
      if (names.has(name)) continue;
      names.add(name);
      const [file, ...imports] = await reader.read(path, origin, trusted);
      if (!file) continue;
      const { rule, problem } = await parseRuleFile(file, imports, base);
      if (problem !== undefined) reader.problem(problem);
      rules.push(rule);
    }
  return rules;
}

/** The files of those that hold at once; the others wait. */
function settle(rules: readonly Rule[], waiting: Set<Rule>): InstructionFile[] {
  for (const rule of rules) if (rule.paths) waiting.add(rule);
  return rules.flatMap(({ file, imports, paths }) => (paths ? [] : [file, ...imports]));
}

async function touchedBy(paths: readonly string[], told: Told, { trusted }: InstructionPlaces): Promise<string> {
  const { project, reader, waiting, since } = told;
  const within = trusted ? {} : { within: [project.root, project.mainRoot] };
  const files: InstructionFile[] = [];
  for (const path of paths) {
    // It has been read as a file by then.
    if (/(^|\/)(CLAUDE(\.local)?|AGENTS)\.md$/.test(path)) await reader.know(path);
    for (const folder of foldersTo(path, project.root)) files.push(...(await readFolder(folder, told, OWN, within)));
    for (const rule of [...waiting]) {
      if (!(await speaksOf(rule, path)) || !waiting.delete(rule)) continue;
      files.push(rule.file, ...rule.imports);
    }
  }
  since.push(...files);
  return wrapped(files, reader.problems(), TOUCHED);
}

/** Read from disk anew, and what tools have brought along counts as told. */
async function toldTheSame({ since }: Told, places: InstructionPlaces): Promise<Told> {
  const own = await tell(places);
  const paths = new Set(since.map(({ path }) => path));
  for (const path of paths) await own.reader.know(path);
  for (const rule of [...own.waiting]) if (paths.has(rule.file.path)) own.waiting.delete(rule);
  return { ...own, since: [...since] };
}

/** From below the root down to where the file lies. */
function foldersTo(path: string, root: string): string[] {
  const inside = relative(root, dirname(path));
  if (inside === '' || inside === '..' || inside.startsWith('../')) return [];
  const names = inside.split('/');
  return names.map((_, index) => join(root, ...names.slice(0, index + 1)));
}

const OPENING =
  'Standing instructions of the user and the project. They hold for all your work here. Where two disagree, the later one counts: it is nearer to your work. What a person asks of you directly goes before them.';
const TOUCHED = 'Instructions that hold for the files here:';

function wrapped(files: readonly InstructionFile[], problems: readonly string[], head: string): string {
  if (files.length + problems.length === 0) return '';
  return [
    '<instructions>',
    head,
    ...files.flatMap(({ path, origin, text }) => [
      `<file path="${escapeXml(path)}" origin="${escapeXml(origin)}">`,
      text,
      '</file>',
    ]),
    ...problems.map((problem) => `(${problem})`),
    '</instructions>',
  ].join('\n');
}
