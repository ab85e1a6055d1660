import { basename, dirname, join } from 'node:path';
import type { Home } from '../../config/paths.js';
import { markdownFiles, readDefinition, type SkippedFile, skippedBecause } from '../../definitions/files.js';
import { findProject } from '../../definitions/projectFolders.js';
import { isWider } from '../../permissions/mode.js';
import { UserError } from '../../util/errors.js';
import { didYouMean } from '../../util/text.js';
import { namesOf, parseTemplate, type Template, type TemplateSource } from './templateSchema.js';

export interface TemplatePlaces {
  /** Absolute. */
  readonly cwd: string;
  readonly home: Home;
  /** The folder of the templates that come with the program. */
  readonly shipped: string;
}

export interface TemplateFile {
  readonly name: string;
  readonly source: TemplateSource;
  readonly file: string;
  readonly description: string;
}

/** Every template by its name: `.claude/teams` (the nearest folder wins) > `$TROUPE_HOME/templates` > shipped. */
export async function loadTemplates(
  places: TemplatePlaces,
): Promise<{ templates: TemplateFile[]; broken: SkippedFile[] }> {
  const templates: TemplateFile[] = [];
  const broken: SkippedFile[] = [];
  for (const found of (await readAll(places)).values()) {
    if ('reason' in found) broken.push(found);
    else templates.push({ name: found.name, source: found.source, file: found.file, description: found.description });
  }
  return { templates, broken };
}

/** `undefined` where there is none of that name. @throws UserError when the one that counts is broken (with file, line and key). */
export async function findTemplate(name: string, places: TemplatePlaces): Promise<Template | undefined> {
  const found = (await readAll(places, (text, file) => mayBeCalled(name, text, file))).get(name);
  if (!found || !('reason' in found)) return found;
  throw new UserError(`${found.file}${found.line === undefined ? '' : `:${found.line}`}: ${found.reason}`);
}

/** The same. @throws UserError also when there is none of that name (with the nearest). */
export async function loadTemplate(name: string, places: TemplatePlaces): Promise<Template> {
  const found = await findTemplate(name, places);
  if (found) return found;
  const names = [...(await readAll(places)).keys()].sort();
  throw new UserError(`Unknown template "${name}".${didYouMean(name, names)} Templates: ${names.join(', ') || 'none'}`);
}

/** Parsing all that there are would take long. A name stands in its file as it is, unless YAML's escapes hide it. */
function mayBeCalled(name: string, text: string, file: string): boolean {
  return basename(file, '.md') === name || text.includes(name) || text.includes('\\');
}

/** The one that counts for each name. A broken file stands for its own name, and does not let a weaker one through. */
async function readAll(
  { cwd, home, shipped }: TemplatePlaces,
  isWanted: IsWanted = () => true,
): Promise<Map<string, Template | SkippedFile>> {
  const { folders } = await findProject(cwd);
  const places: [string, TemplateSource][] = [
    ...folders.map((folder): [string, TemplateSource] => [join(folder, '.claude', 'teams'), 'project']),
    [home.templates, 'user'],
    [shipped, 'shipped'],
  ];
  const all = new Map<string, Template | SkippedFile>();
  for (const [folder, source] of places) {
    for (const file of (await markdownFiles(folder)).filter((path) => dirname(path) === folder)) {
      const read = await readTemplate(file, source, isWanted);
      if (!read) continue;
      const name = 'reason' in read ? basename(file, '.md') : read.name;
      if (!all.has(name)) all.set(name, read);
    }
  }
  return all;
}

type IsWanted = (text: string, file: string) => boolean;

async function readTemplate(
  file: string,
  source: TemplateSource,
  isWanted: IsWanted,
): Promise<Template | SkippedFile | undefined> {
  try {
    const text = await readDefinition(file);
    return isWanted(text, file) ? await parseTemplate(text, file, source, basename(file, '.md')) : undefined;
  } catch (error) {
    return skippedBecause(file, error);
  }
}

export type ExpandedMember = Omit<Template['members'][number], 'count'>;

/** A team as it is to be started: every variable filled in, every member by itself. */
export interface Expanded
  extends Pick<Template, 'tasks' | 'permissions' | 'allowedPaths' | 'layout' | 'approver' | 'env' | 'limits'> {
  /** What it was made from, where it was a template. */
  readonly template?: string;
  /** The lead's first task; empty when a person is to say it. */
  readonly leadPrompt: string;
  readonly lead: Omit<Template['lead'], 'prompt'>;
  readonly members: readonly ExpandedMember[];
  /** What was left out for want of trust. */
  readonly notices: readonly string[];
}

export interface Expansion {
  /** What the person asked for; may be empty. */
  readonly prompt: string;
  /** `--set key=value`. */
  readonly set: Readonly<Record<string, string>>;
  /** Whether the project's folder is trusted. */
  readonly trusted: boolean;
}

/**
 * Fills in `{{prompt}}` and the variables. Words that no `{{prompt}}` takes up are added to the lead's task.
 * @throws UserError for a variable without a value, and for a `set` that the template does not know.
 */
export function expandTemplate(template: Template, { prompt, set, trusted }: Expansion): Expanded {
  const { name, source, file, lead, members, tasks, body, variables } = template;
  const used = placeholdersIn([body, lead, members, tasks, template.allowedPaths, template.env]);
  const known = [...new Set([...Object.keys(variables), ...used])];
  for (const key of Object.keys(set)) {
    if (!known.includes(key))
      throw new UserError(
        `Template "${name}" has no variable "${key}".${didYouMean(key, known)} Variables: ${known.join(', ') || 'none'}`,
      );
  }
  const values = new Map(
    Object.entries(variables).flatMap(([key, { default: value }]) => (value === undefined ? [] : [[key, value]])),
  );
  for (const [key, value] of Object.entries(set)) values.set(key, value);
  if (prompt !== '') values.set('prompt', prompt);
  for (const key of used) if (!values.has(key)) throw new UserError(withoutValue(template, key));

  const fill = (text: string) => text.replace(PLACEHOLDER, (whole, key: string) => values.get(key) ?? whole);
  const { prompt: leadWords, ...leadFields } = lead;
  const tail = prompt !== '' && !used.includes('prompt') ? prompt : '';
  const { permitted, notices } = permittedOf(template, source !== 'project' || trusted);
  return {
    template: name,
    leadPrompt: [fill(leadWords ?? ''), fill(body), tail].filter((part) => part !== '').join('\n\n'),
    lead: { ...leadFields, permissionMode: permitted.leadMode },
    members: members.flatMap((member) => {
      const { count: _, prompt: words, cwd, ...fields } = member;
      const own = {
        ...fields,
        ...(words !== undefined && { prompt: fill(words) }),
        ...(cwd !== undefined && { cwd: fill(cwd) }),
      };
      return namesOf(member).map((one) => ({ ...own, name: one }));
    }),
    tasks: tasks.map((task) => ({ ...task, subject: fill(task.subject), description: fill(task.description) })),
    permissions: { allow: permitted.allow, deny: template.permissions.deny },
    allowedPaths: permitted.allowedPaths.map(({ path, toolName }) => ({ path: fill(path), toolName })),
    env: Object.fromEntries(Object.entries(permitted.env).map(([key, value]) => [key, fill(value)])),
    layout: template.layout,
    approver: template.approver,
    limits: template.limits,
    notices:
      notices.length === 0
        ? []
        : [`${file}: ${notices.join(', ')} do not count until the project is trusted (troupe trust).`],
  };
}

/** A team without a template: a lead alone. */
export function plain(prompt: string): Expanded {
  return {
    leadPrompt: prompt,
    lead: {},
    members: [],
    tasks: [],
    permissions: { allow: [], deny: [] },
    allowedPaths: [],
    layout: undefined,
    approver: 'lead',
    env: {},
    limits: {},
    notices: [],
  };
}

// `${{ x }}` belongs to other programs' files, which a prompt may quote.
const PLACEHOLDER = /(?<!\$)\{\{ *([\p{L}_][\p{L}\p{N}_-]*) *\}\}/gu;

function placeholdersIn(value: unknown): string[] {
  return [...new Set([...JSON.stringify(value).matchAll(PLACEHOLDER)].map(([, key = '']) => key))];
}

function withoutValue({ name, variables }: Template, key: string): string {
  if (key === 'prompt') return `Template "${name}" needs a prompt: say behind its name what is to be done.`;
  const description = variables[key]?.description;
  return `Template "${name}" needs a value for {{${key}}}${description ? ` (${description})` : ''}: --set ${key}=VALUE`;
}

/** What of a template opens doors, as far as it may. */
function permittedOf({ permissions, allowedPaths, env, lead }: Template, trusted: boolean) {
  const widens = lead.permissionMode !== undefined && isWider(lead.permissionMode, 'default');
  if (trusted)
    return { permitted: { allow: permissions.allow, allowedPaths, env, leadMode: lead.permissionMode }, notices: [] };
  const notices: string[] = [];
  if (permissions.allow.length > 0) notices.push('permissions.allow');
  if (allowedPaths.length > 0) notices.push('allowedPaths');
  if (Object.keys(env).length > 0) notices.push('env');
  if (widens) notices.push('lead.permissionMode');
  return {
    permitted: { allow: [], allowedPaths: [], env: {}, leadMode: widens ? undefined : lead.permissionMode },
    notices,
  };
}
