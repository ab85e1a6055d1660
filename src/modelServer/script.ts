import { readFile } from 'node:fs/promises';
import { isMap, LineCounter, parseDocument } from 'yaml';
import * as z from 'zod/mini';
import { messageOf, UserError } from '../util/errors.js';
import { didYouMean } from '../util/text.js';
import { Fault } from './faults.js';
import { explain } from './issue.js';

const pattern = z.string().check((ctx) => {
  try {
    new RegExp(ctx.value, 'm');
  } catch (error) {
    ctx.issues.push({ code: 'custom', input: ctx.value, message: messageOf(error) });
  }
});

const Amount = z.union([
  z.int().check(z.minimum(0)),
  z.strictObject({ min: z.optional(z.int()), max: z.optional(z.int()) }),
]);
export type Amount = z.infer<typeof Amount>;

const When = z.strictObject({
  turn: z.optional(Amount),
  user: z.optional(pattern),
  result: z.optional(pattern),
  seen: z.optional(z.array(pattern)),
  tool: z.optional(z.string()),
  offers: z.optional(z.string()),
  system: z.optional(pattern),
  model: z.optional(pattern),
  used: z.optional(z.strictObject({ rule: z.string(), times: Amount })),
});
export type When = z.infer<typeof When>;

const Capture = z.strictObject({ from: z.enum(['result', 'user', 'any']), match: pattern });
export type Capture = z.infer<typeof Capture>;

const Block = z
  .strictObject({
    text: z.optional(z.string()),
    thinking: z.optional(z.string()),
    tool: z.optional(z.string()),
    input: z.optional(z.record(z.string(), z.unknown())),
  })
  .check((ctx) => {
    const { text, thinking, tool, input } = ctx.value;
    const kinds = [text, thinking, tool].filter((kind) => kind !== undefined).length;
    if (kinds !== 1 || (input !== undefined && tool === undefined)) {
      ctx.issues.push({
        code: 'custom',
        input: ctx.value,
        message: 'a block is one of `text`, `thinking`, or `tool` with its `input`',
      });
    }
  });

const NO_SCRIPT: ReturnType<typeof explain> = { path: [], words: 'this is not a script' };

const stops = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
] as const;

const Rule = z.strictObject({
  name: z.optional(z.string()),
  when: z.optional(When),
  once: z.optional(z.boolean()),
  capture: z.optional(z.record(z.string(), Capture)),
  reply: z.union([z.string(), z.array(Block).check(z.minLength(1))]),
  stop: z.optional(z.enum(stops)),
  fault: z.optional(Fault),
});

const ScriptFile = z.strictObject({ agents: z.record(z.string(), z.nullable(z.array(Rule))) });

export interface Rule extends Omit<z.infer<typeof Rule>, 'name' | 'reply'> {
  /** Its own, or `rule 3`. */
  readonly name: string;
  readonly reply: readonly z.infer<typeof Block>[];
}

/**
 * What the server answers to whom. A worked example:
 *
 * ```yaml
 * agents:
 *   planner:                     # a member's name; `planner/*` its sub-agents; `*` anybody else
 *     - name: look               # rules are tried from the top; the first that matches answers
 *       when: {turn: 1}          # a number or {min, max}; all conditions given must hold
 *       reply:
 *         - thinking: Where is it?
 *         - text: I look for the bug.
 *         - {tool: Grep, input: {pattern: BUG}}       # several calls in one reply run side by side
 *     - name: found
 *       when: {tool: Grep, result: 'BUG'}             # regular expressions, flag `m`, on what the newest message brought
 *       once: true
 *       capture:                                      # kept for the whole team; named groups are kept too
 *         file: {from: result, match: '^(\S+?):(?<line>\d+):.*BUG'}     # from: result, user, any
 *       reply:
 *         - {tool: Read, input: {file_path: '{{file}}', offset: '{{line|number}}'}}
 *     - when: {used: {rule: found, times: 1}}         # how often another rule has answered
 *       fault: {status: 529, times: 2}                # two failures first, then the reply
 *       reply: 'The bug is in {{file}}.'              # a plain string is one text; {{user}}, {{result}} are the newest ones
 * ```
 *
 * More conditions: `user` (text of the newest message, without tool results), `seen` (a list, each found in some message of
 * the conversation), `offers` (a tool in the request), `system`, `model`. `stop` sets the stop reason. `fault`: see faults.ts.
 */
export interface Script {
  readonly file: string;
  readonly agents: Readonly<Record<string, readonly Rule[]>>;
}

/** @throws UserError with file, line and rule. */
export async function loadScript(path: string): Promise<Script> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UserError(`Cannot read the script ${path}: ${messageOf(error)}`, 2, { cause: error });
  }
  return parseScript(text, path);
}

/** @throws UserError with file, line and rule. */
export function parseScript(text: string, file: string): Script {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [syntax] = document.errors;
  if (syntax) throw new UserError(`${file}:${lines.linePos(syntax.pos[0]).line}: ${syntax.message.split('\n')[0]}`);

  const raw: unknown = document.toJS();
  const fail = (path: readonly PropertyKey[], words: string): never => {
    throw new UserError(`${file}:${lineOf(path)}: ${place(raw, path)}${words}`);
  };
  const lineOf = (path: readonly PropertyKey[]): number => {
    for (let length = path.length; length >= 0; length--) {
      const at = path.slice(0, length);
      const parent = at.length === 0 ? undefined : document.getIn(at.slice(0, -1), true);
      const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(at.at(-1))) : undefined;
      const node: unknown = pair?.key ?? (at.length === 0 ? document.contents : document.getIn(at, true));
      const start = startOf(node);
      if (start !== undefined) return lines.linePos(start).line;
    }
    return 1;
  };

  const parsed = ScriptFile.safeParse(raw, { reportInput: true });
  if (!parsed.success) {
    const explained = parsed.error.issues.map(explain);
    // A misspelt field explains a missing one.
    const { path, words, unknownKey } =
      explained.find(({ unknownKey: key }) => key !== undefined) ?? explained[0] ?? NO_SCRIPT;
    return unknownKey === undefined ? fail(path, words) : fail([...path, unknownKey], 'there is no such field');
  }
  const agents = Object.fromEntries(
    Object.entries(parsed.data.agents).map(([agent, rules]) => [agent, (rules ?? []).map(named)]),
  );
  for (const [agent, rules] of Object.entries(agents)) checkNames(agent, rules, fail);
  return { file, agents };
}

function named({ reply, name, ...rule }: z.infer<typeof Rule>, index: number): Rule {
  return { ...rule, name: name ?? `rule ${index + 1}`, reply: typeof reply === 'string' ? [{ text: reply }] : reply };
}

function checkNames(agent: string, rules: readonly Rule[], fail: (path: PropertyKey[], words: string) => never): void {
  const names = rules.map(({ name }) => name);
  for (const [index, { name, when }] of rules.entries()) {
    if (names.indexOf(name) !== index) fail(['agents', agent, index, 'name'], `another rule of ${agent} has this name`);
    const used = when?.used?.rule;
    if (used !== undefined && !names.includes(used)) {
      fail(
        ['agents', agent, index, 'when', 'used', 'rule'],
        `${agent} has no rule "${used}".${didYouMean(used, names)}`,
      );
    }
  }
}

/** `planner, rule 2 (look), when.turn: `. */
function place(raw: unknown, path: readonly PropertyKey[]): string {
  const [top, agent, index, ...rest] = path;
  if (top !== 'agents' || agent === undefined) return path.length === 0 ? '' : `${path.join('.')}: `;
  const rule = z.object({ name: z.string() }).safeParse(at(at(at(raw, 'agents'), agent), index));
  const where = typeof index === 'number' ? `, rule ${index + 1}${rule.success ? ` (${rule.data.name})` : ''}` : '';
  return `${String(agent)}${where}${rest.length > 0 ? `, ${rest.join('.')}` : ''}: `;
}

function at(value: unknown, key: PropertyKey | undefined): unknown {
  return key !== undefined && typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function startOf(node: unknown): number | undefined {
  const range = at(node, 'range');
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}
