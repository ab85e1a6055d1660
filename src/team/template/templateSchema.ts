import * as z from 'zod/mini';
import { AgentColor, Mode, ModelName, ToolList } from '../../definitions/agentFields.js';
import { FileProblem, parseFrontMatter } from '../../definitions/frontmatter.js';
import { isKnownTool, knownTools } from '../../definitions/toolNames.js';
import { parseRule } from '../../permissions/rule.js';
import { messageOf } from '../../util/errors.js';
import { isSameName } from '../../util/names.js';
import { didYouMean } from '../../util/text.js';
import { checkNewMemberName, checkTeamName } from '../member.js';

export type TemplateSource = 'project' | 'user' | 'shipped';

const Text = z.string('must be text');
const Scalar = z.pipe(z.union([z.string(), z.number(), z.boolean()], 'must be text'), z.transform(String));
const Positive = z.number('must be a number').check(z.positive('must be more than 0'));
const list = <S extends z.ZodMiniType>(item: S) => z._default(z.array(item, 'must be a list'), []);
/** Text that `check` accepts. */
const checked = (check: (text: string) => unknown) =>
  Text.check((context) => {
    const problem = problemOf(() => check(context.value));
    if (problem !== undefined) context.issues.push({ code: 'custom', input: context.value, message: problem });
  });
const Rule = checked((text) => parseRule(text));
const Tools = ToolList.check((context) => {
  const unknown = context.value.find((tool) => !isKnownTool(tool));
  if (unknown !== undefined)
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: `names "${unknown}", and there is no such tool.${didYouMean(unknown, knownTools())}`,
    });
});

const Member = z.strictObject(
  {
    name: Text,
    agent: z.optional(Text),
    model: z.optional(ModelName),
    /** Without one the member waits for its task or a message. */
    prompt: z.optional(Text),
    /** So many members, `name-1`, `name-2`, …; one is just `name`. */
    count: z._default(
      z.int('must be a whole number').check(z.minimum(1, 'must be at least 1'), z.maximum(100, 'must be at most 100')),
      1,
    ),
    /** Its plan has to be approved before it changes anything. */
    plan: z._default(z.boolean('must be true or false'), false),
    worktree: z._default(z.boolean('must be true or false'), false),
    cwd: z.optional(Text),
    color: z.optional(AgentColor),
    permissionMode: z.optional(Mode),
    tools: z.optional(Tools),
  },
  'must be an object with a name',
);

const Task = z.strictObject(
  {
    subject: Text.check(z.minLength(1, 'must not be empty')),
    description: z._default(Text, ''),
    /** Numbers of tasks in this list, from 1, that must be completed first. */
    after: z._default(
      z.pipe(
        z.union([z.int(), z.array(z.int())], 'must be the number of a task, or a list of them'),
        z.transform((value): readonly number[] => [value].flat()),
      ),
      [],
    ),
    owner: z.optional(Text),
  },
  'must be an object with a subject',
);

const AllowedPath = z.pipe(
  z.union(
    [z.string(), z.strictObject({ path: z.string(), toolName: z.string() })],
    'must be a path, or {path, toolName}',
  ),
  z.transform((value) => (typeof value === 'string' ? { path: value, toolName: 'Edit' } : value)),
);

/** The front matter of a template (teams.md, Templates). */
const TemplateFields = z.strictObject({
  name: z.optional(Text),
  description: z._default(Text, ''),
  variables: z._default(
    z.record(
      z.string(),
      z.strictObject(
        { description: z._default(Text, ''), default: z.optional(Scalar) },
        'must be an object with a description',
      ),
      'must be an object',
    ),
    {},
  ),
  lead: z._default(
    z.strictObject(
      {
        agent: z.optional(Text),
        model: z.optional(ModelName),
        permissionMode: z.optional(Mode),
        prompt: z.optional(Text),
      },
      'must be an object',
    ),
    {},
  ),
  members: list(Member),
  tasks: list(Task),
  permissions: z._default(
    z.strictObject({ allow: list(Rule), deny: list(Rule) }, 'must be an object with allow and deny'),
    { allow: [], deny: [] },
  ),
  allowedPaths: list(AllowedPath),
  layout: z.optional(z.enum(['panes', 'windows'], 'must be panes or windows')),
  approver: z._default(z.enum(['lead', 'human'], 'must be lead or human'), 'lead'),
  env: z._default(z.record(z.string(), Scalar, 'must be an object'), {}),
  limits: z._default(
    z.strictObject(
      {
        turns: z.optional(z.int('must be a whole number').check(z.positive('must be at least 1'))),
        usd: z.optional(Positive),
        minutes: z.optional(Positive),
      },
      'must be an object',
    ),
    {},
  ),
});
type TemplateFields = Readonly<z.infer<typeof TemplateFields>>;

/** A team that can be started again and again: who is in it, what each does, and what the lead is told. */
export interface Template extends TemplateFields {
  readonly name: string;
  readonly source: TemplateSource;
  readonly file: string;
  /** The lead's task, with `{{prompt}}` and `{{variables}}`. */
  readonly body: string;
}

/** `fallbackName` counts where the front matter has no name. @throws FileProblem with line and key. */
export async function parseTemplate(
  text: string,
  file: string,
  source: TemplateSource,
  fallbackName: string,
): Promise<Template> {
  const { data, body, lineOf } = await parseFrontMatter(text, file);
  const parsed = TemplateFields.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    if (issue?.code === 'unrecognized_keys') {
      const [key = ''] = issue.keys;
      throw new FileProblem(
        file,
        lineOf(...issue.path, key),
        `"${keyOf([...issue.path, key])}" is not a key of a template.${didYouMean(key, KEYS)}`,
      );
    }
    const path = issue?.path ?? [];
    throw new FileProblem(file, lineOf(...path), ended(`"${keyOf(path)}" ${issue?.message}`));
  }
  const template: Template = { ...parsed.data, name: parsed.data.name ?? fallbackName, source, file, body };
  const problem = problemIn(template);
  if (problem)
    throw new FileProblem(file, lineOf(...problem.path), ended(`"${keyOf(problem.path)}" ${problem.reason}`));
  return template;
}

/** `reviewer` with a count of 2: `reviewer-1`, `reviewer-2`. */
export function namesOf({ name, count }: Template['members'][number]): string[] {
  return count === 1 ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly reason: string;
}

/** What the shape alone does not show: names, owners, and the order of tasks. */
function problemIn({ name, members, tasks }: Template): Problem | undefined {
  const ofTemplate = problemOf(() => checkTeamName(name));
  if (ofTemplate !== undefined) return { path: ['name'], reason: ofTemplate };
  const names: string[] = [];
  for (const [index, member] of members.entries()) {
    const problem = problemOf(() => namesOf(member).forEach(checkNewMemberName));
    if (problem !== undefined) return { path: ['members', index, 'name'], reason: problem };
    const taken = namesOf(member).find((one) => names.some((other) => isSameName(one, other)));
    if (taken !== undefined) return { path: ['members', index, 'name'], reason: `makes a second member "${taken}"` };
    names.push(...namesOf(member));
  }
  const owners = [...names, 'lead', 'team-lead'];
  for (const [index, { owner, after }] of tasks.entries()) {
    if (owner !== undefined && !owners.includes(owner))
      return {
        path: ['tasks', index, 'owner'],
        reason: `is "${owner}", who is no member.${didYouMean(owner, owners)} Members: ${names.join(', ')}`,
      };
    const wrong = after.find((number) => number < 1 || number > tasks.length);
    if (wrong !== undefined)
      return {
        path: ['tasks', index, 'after'],
        reason: `names task ${wrong}, and there are tasks 1 to ${tasks.length}`,
      };
    if (waitsForItself(index + 1, tasks))
      return { path: ['tasks', index, 'after'], reason: `makes task ${index + 1} wait for itself` };
  }
  return undefined;
}

function waitsForItself(number: number, tasks: Template['tasks']): boolean {
  const before = new Set<number>();
  const queue = [...(tasks[number - 1]?.after ?? [])];
  for (const next of queue) {
    if (before.has(next)) continue;
    before.add(next);
    queue.push(...(tasks[next - 1]?.after ?? []));
  }
  return before.has(number);
}

function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return `cannot be used: ${messageOf(error).replace(/\.$/, '')}`;
  }
}

const KEYS = [TemplateFields, Member, Task].flatMap(({ shape }) => Object.keys(shape));

const ended = (sentence: string) => (/[.?]$/.test(sentence) ? sentence : `${sentence}.`);

/** `members[1].name`, counted from 1 as people do. */
function keyOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step + 1}]` : `${index > 0 ? '.' : ''}${String(step)}`))
    .join('');
}
