import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { hasCode } from '../../util/errors.js';
import { agentNameProblem } from '../agent.js';
import { markdownFiles, readDefinition, requireInside, type SkippedFile, skippedBecause } from '../files.js';
import { pluginsIn, requirePlugin } from '../plugin.js';
import { findProject } from '../projectFolders.js';
import { type ParsedSkill, parseCommand, parseSkill, type Skill, type SkillSource } from './skill.js';

export interface SkillPlaces {
  /** Absolute. */
  readonly cwd: string;
  readonly userHome: string;
  /** Without it, what a project's skill allows does not count. */
  readonly trusted: boolean;
  readonly managed?: string | undefined;
  /** `--plugin-dir`: a plugin each. Absolute. */
  readonly pluginDirs?: readonly string[] | undefined;
  /** The folder of the installed plugins. */
  readonly plugins?: string | undefined;
}

/** A skill that another one of its name stands in front of. */
export interface OverriddenSkill {
  readonly name: string;
  readonly source: SkillSource;
  readonly file: string;
  /** The file of the one that counts. */
  readonly by: string;
}

export interface LoadedSkills {
  readonly skills: ReadonlyMap<string, Skill>;
  readonly skipped: readonly SkippedFile[];
  readonly overridden: readonly OverriddenSkill[];
  readonly warnings: readonly string[];
}

export const NO_SKILLS: LoadedSkills = { skills: new Map(), skipped: [], overridden: [], warnings: [] };

/**
 * All skills that can be used in `cwd`: managed > user > project (the nearest folder wins), plugins' as `plugin:name`; a
 * skill stands in front of every command of its name (facts.md §8). @throws UserError for what is wrong in `pluginDirs`.
 */
export async function loadSkills(places: SkillPlaces): Promise<LoadedSkills> {
  const { cwd, userHome, managed, trusted } = places;
  const pile = createPile();
  const { root, mainRoot } = await findProject(cwd);
  const limit = trusted ? undefined : untrusted([root, mainRoot]);
  const ofUser = join(userHome, '.claude');
  const ofProject = (await projectFolders(cwd)).filter(({ folder }) => folder !== ofUser);
  if (managed !== undefined) await addSkills(pile, join(managed, 'skills'), 'managed');
  await addSkills(pile, join(ofUser, 'skills'), 'user');
  for (const { folder, behind } of ofProject)
    await addSkills(pile, join(folder, 'skills'), 'project', limit, behind && join(behind, 'skills'));
  const plugins = await pluginFolders(places);
  for (const { name, path } of plugins) await addSkills(pile, join(path, 'skills'), 'plugin', inPlugin(name));
  await addCommands(pile, join(ofUser, 'commands'), 'user');
  for (const { folder, behind } of ofProject)
    await addCommands(pile, join(folder, 'commands'), 'project', limit, behind && join(behind, 'commands'));
  for (const { name, path } of plugins) await addCommands(pile, join(path, 'commands'), 'plugin', inPlugin(name));
  return pile.loaded;
}

/** The skill of this very name, else with the plugin's name before it, else the only one that ends in `:name`. */
export function findSkill(
  { skills }: Pick<LoadedSkills, 'skills'>,
  name: string,
  plugin?: string | undefined,
): Skill | undefined {
  const found = skills.get(name) ?? (plugin === undefined ? undefined : skills.get(`${plugin}:${name}`));
  if (found) return found;
  const ending = [...skills.values()].filter((skill) => skill.name.endsWith(`:${name}`));
  return ending.length === 1 ? ending[0] : undefined;
}

/** The nearest first; in a worktree those of the main checkout behind its own. */
async function projectFolders(cwd: string): Promise<{ folder: string; behind?: string }[]> {
  const { root, mainRoot, folders } = await findProject(cwd);
  const own = folders.map((path) => ({ folder: join(path, '.claude') }));
  if (mainRoot === root) return own;
  const ofMain = own.map(({ folder }) => ({ folder: join(mainRoot, relative(root, folder)), behind: folder }));
  return [...own, ...ofMain];
}

async function pluginFolders({ pluginDirs = [], plugins }: SkillPlaces): Promise<{ name: string; path: string }[]> {
  const named = await Promise.all(pluginDirs.map(requirePlugin));
  const installed = plugins === undefined ? [] : await pluginsIn(plugins);
  const seen = new Map<string, { name: string; path: string }>();
  for (const { name, path } of [...named, ...installed])
    if (!seen.has(name) && agentNameProblem(name) === undefined) seen.set(name, { name, path });
  return [...seen.values()];
}

type Change = (parsed: ParsedSkill) => ParsedSkill | Promise<ParsedSkill>;

const inPlugin =
  (plugin: string): Change =>
  ({ skill, warnings }) => ({ skill: { ...skill, name: `${plugin}:${skill.name}`, plugin }, warnings });

const untrusted =
  (roots: readonly string[]): Change =>
  async (parsed) => {
    await requireInside(parsed.skill.file, roots);
    return withoutAllowed(parsed);
  };

function withoutAllowed({ skill, warnings }: ParsedSkill): ParsedSkill {
  if (skill.allowedTools.length === 0) return { skill, warnings };
  const line = `${skill.file}: its allowed-tools do not count until the project is trusted (troupe trust).`;
  return { skill: { ...skill, allowedTools: [] }, warnings: [...warnings, line] };
}

/** @param behind a folder in which the same file stands in front. */
async function addSkills(
  pile: Pile,
  folder: string,
  source: SkillSource,
  change: Change = (parsed) => parsed,
  behind?: string,
): Promise<void> {
  for (const name of await namesIn(folder)) {
    const file = join(folder, name, 'SKILL.md');
    if (await isThere(file)) {
      const isCopy = behind !== undefined && (await isThere(join(behind, name, 'SKILL.md')));
      if (!isCopy) await pile.read(file, async (text) => change(await parseSkill(text, file, source)));
    } else if (name.endsWith('.md'))
      pile.skip({ file: join(folder, name), reason: 'a skill is a folder with a SKILL.md in it.' });
  }
}

async function addCommands(
  pile: Pile,
  folder: string,
  source: SkillSource,
  change: Change = (parsed) => parsed,
  behind?: string,
): Promise<void> {
  for (const file of await markdownFiles(folder)) {
    const inside = relative(folder, file);
    if (behind !== undefined && (await isThere(join(behind, inside)))) continue;
    const name = inside.replace(/\.md$/, '').replaceAll('/', ':');
    await pile.read(file, async (text) => change(await parseCommand(text, file, source, name)));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).then(
    (names) => names.filter((name) => !name.startsWith('.')).sort(),
    (error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return [];
      throw error;
    },
  );
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => !hasCode(error, 'ENOENT', 'ENOTDIR'),
  );
}

/** Collects skills from the strongest source to the weakest: a name that is taken keeps its skill. */
interface Pile {
  read(file: string, parse: (text: string) => Promise<ParsedSkill>): Promise<void>;
  skip(file: SkippedFile): void;
  readonly loaded: LoadedSkills;
}

function createPile(): Pile {
  const skills = new Map<string, Skill>();
  const skipped: SkippedFile[] = [];
  const overridden: OverriddenSkill[] = [];
  const warnings: string[] = [];
  return {
    async read(file, parse) {
      try {
        const parsed = await parse(await readDefinition(file));
        const { name, source } = parsed.skill;
        const winner = skills.get(name);
        if (winner) overridden.push({ name, source, file, by: winner.file });
        else skills.set(name, parsed.skill);
        warnings.push(...parsed.warnings);
      } catch (error) {
        skipped.push(skippedBecause(file, error));
      }
    },
    skip: (file) => void skipped.push(file),
    loaded: { skills, skipped, overridden, warnings },
  };
}
