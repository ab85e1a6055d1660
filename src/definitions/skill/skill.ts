import { basename, dirname } from 'node:path';
import * as z from 'zod/mini';
import { parseRule } from '../../permissions/rule.js';
import { messageOf } from '../../util/errors.js';
import { ModelName, ToolList } from '../agentFields.js';
import { FileProblem, type FrontMatter, parseFrontMatter } from '../frontmatter.js';

export type SkillSource = 'managed' | 'user' | 'project' | 'plugin';

/** Instructions for one kind of work, loaded when that work comes up. A command is an older form: one file alone. */
export interface Skill {
  /** As it is called; a plugin's as `plugin:name`. */
  readonly name: string;
  readonly description: string;
  readonly kind: 'skill' | 'command';
  readonly source: SkillSource;
  readonly file: string;
  /** Where its scripts and references are. A command has none. */
  readonly folder?: string;
  readonly plugin?: string;
  readonly body: string;
  /** Rules that allow calls while it is being carried out. */
  readonly allowedTools: readonly string[];
  readonly model?: string | undefined;
  /** An agent of its own carries it out. */
  readonly isFork: boolean;
  /** The kind of that agent. */
  readonly agent?: string | undefined;
  /** Only a person may ask for it. */
  readonly isForPeople: boolean;
  /** A person may ask for it by `/name`. */
  readonly isTyped: boolean;
  readonly argumentHint?: string | undefined;
}

export interface ParsedSkill {
  readonly skill: Skill;
  /** One line each, with file and line. */
  readonly warnings: readonly string[];
}

const Flag = z.union([z.boolean(), z.stringbool()], 'must be true or false');
const Text = z.string('must be text');
/** The keys of the Agent Skills specification, and those that are usual beside (facts.md §8). */
const Fields = z.object({
  'allowed-tools': z.optional(ToolList),
  model: z.optional(ModelName),
  context: z.optional(z.literal('fork', 'must be fork')),
  agent: z.optional(Text.check(z.minLength(1, 'must not be empty'))),
  'disable-model-invocation': z.optional(Flag),
  'user-invocable': z.optional(Flag),
  // `[file]` is a list to YAML.
  'argument-hint': z.optional(
    z.pipe(
      z.union([z.string(), z.array(z.string())], 'must be text'),
      z.transform((hint) => (Array.isArray(hint) ? `[${hint.join(', ')}]` : hint)),
    ),
  ),
});
type Fields = z.infer<typeof Fields>;
/** Keys that restrict: dropped, they would allow what their author did not. */
const RESTRICTIONS: readonly string[] = ['disable-model-invocation', 'user-invocable'];

const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1024;

/** Why a skill cannot have this name, or `undefined` when it can (Agent Skills specification). */
export function skillNameProblem(name: string): string | undefined {
  if (name.length > LONGEST_NAME) return `it has more than ${LONGEST_NAME} characters`;
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)
    ? undefined
    : 'only lower-case letters, digits and hyphens between them are allowed';
}

/** Reads a SKILL.md. @throws FileProblem where it cannot be a skill. */
export async function parseSkill(text: string, file: string, source: SkillSource): Promise<ParsedSkill> {
  const matter = await parseFrontMatter(text, file);
  const folder = dirname(file);
  const warnings: string[] = [];
  const name = nameOf(matter, file, basename(folder), warnings);
  const skill = skillFrom({ matter, file, source, name, kind: 'skill', warnings });
  return { skill: { ...skill, folder }, warnings };
}

/** Reads a file of `.claude/commands`, which needs no front matter. @throws FileProblem where it has no text either. */
export async function parseCommand(
  text: string,
  file: string,
  source: SkillSource,
  name: string,
): Promise<ParsedSkill> {
  const warnings: string[] = [];
  if (!/^[\p{L}\p{N}_-][\p{L}\p{N}_.:-]*$/u.test(name))
    throw new FileProblem(file, 1, `${JSON.stringify(name)} cannot be typed as a command: no spaces or signs in it.`);
  const hasMatter = /^\uFEFF?---[ \t]*\r?\n/.test(text);
  const matter = hasMatter
    ? await parseFrontMatter(text, file)
    : {
        data: {},
        body: text
          .replace(/^\uFEFF/, '')
          .replace(/\r\n?/g, '\n')
          .trim(),
        bodyLine: 1,
        lineOf: () => 1,
      };
  return { skill: skillFrom({ matter, file, source, name, kind: 'command', warnings }), warnings };
}

interface Parts extends Pick<Skill, 'file' | 'source' | 'name' | 'kind'> {
  readonly matter: FrontMatter;
  readonly warnings: string[];
}

function skillFrom({ matter, warnings, ...about }: Parts): Skill {
  const { data, body, lineOf } = matter;
  const { file, kind } = about;
  const given = textOf(data['description']);
  const description = given ?? firstLineOf(body);
  if (description === undefined) throw new FileProblem(file, lineOf('description'), 'it has no "description".');
  if (given === undefined && kind === 'skill')
    warnings.push(`${file}:${lineOf('name')}: it has no "description"; its first line stands for that.`);
  if (description.length > LONGEST_DESCRIPTION)
    warnings.push(
      `${file}:${lineOf('description')}: its description has ${description.length} characters, more than ${LONGEST_DESCRIPTION}: the rest is not told.`,
    );
  if (data['hooks'] !== undefined && data['hooks'] !== null)
    warnings.push(`${file}:${lineOf('hooks')}: "hooks" of a skill are never run: put them into settings or an agent.`);
  const fields = fieldsOf(matter, file, warnings);
  return {
    ...about,
    description,
    body,
    allowedTools: rulesOf(fields['allowed-tools'] ?? [], file, lineOf('allowed-tools'), warnings),
    model: fields.model === 'inherit' ? undefined : fields.model,
    isFork: fields.context === 'fork',
    agent: fields.agent,
    isForPeople: fields['disable-model-invocation'] ?? false,
    isTyped: fields['user-invocable'] ?? true,
    argumentHint: fields['argument-hint'],
  };
}

/** Those that are valid. Another one is a warning, and where it restricts the end of the file. */
function fieldsOf({ data, lineOf }: FrontMatter, file: string, warnings: string[]): Fields {
  const given = Object.fromEntries(
    Object.entries(data).filter(([key, value]) => key in Fields.shape && value !== null),
  );
  const parsed = Fields.safeParse(given);
  if (parsed.success) return parsed.data;
  const dropped = new Map(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]));
  for (const [key, reason] of dropped) {
    if (RESTRICTIONS.includes(key)) throw new FileProblem(file, lineOf(key), `"${key}" ${reason}.`);
    warnings.push(`${file}:${lineOf(key)}: "${key}" ${reason}; it is left out.`);
  }
  return Fields.parse(Object.fromEntries(Object.entries(given).filter(([key]) => !dropped.has(key))));
}

function rulesOf(entries: readonly string[], file: string, line: number, warnings: string[]): string[] {
  return entries.filter((entry) => {
    try {
      parseRule(entry);
      return true;
    } catch (error) {
      warnings.push(`${file}:${line}: ${messageOf(error)}`);
      return false;
    }
  });
}

/** Its own name, or its folder's where that one alone is a name. */
function nameOf({ data, lineOf }: FrontMatter, file: string, folder: string, warnings: string[]): string {
  const own = textOf(data['name']);
  const ofFolder = skillNameProblem(folder);
  if (own === undefined) {
    if (ofFolder === undefined) return folder;
    throw new FileProblem(file, lineOf('name'), `it has no "name", and its folder's cannot be one: ${ofFolder}.`);
  }
  const problem = skillNameProblem(own);
  if (problem === undefined) {
    if (own !== folder)
      warnings.push(`${file}:${lineOf('name')}: its name is "${own}", and its folder is called "${folder}".`);
    return own;
  }
  if (ofFolder !== undefined)
    throw new FileProblem(file, lineOf('name'), `${JSON.stringify(own)} cannot be the name of a skill: ${problem}.`);
  warnings.push(
    `${file}:${lineOf('name')}: ${JSON.stringify(own)} cannot be the name of a skill: ${problem}. It is "${folder}".`,
  );
  return folder;
}

function firstLineOf(body: string): string | undefined {
  const line = body.split('\n').find((text) => /\w/.test(text));
  return line && textOf(line.replace(/^#+\s*/, ''));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
