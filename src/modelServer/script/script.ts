import { readFile } from 'node:fs/promises';
import { messageOf, UserError } from '../../util/errors.js';
import { didYouMean } from '../../util/text.js';
import { explain } from '../check/issue.js';
import { type Rule, ruleOf, WrittenScript } from './rule.js';
import { nameOfRule, type Written } from './written.js';
import { yamlScript } from './yaml.js';

/**
 * What the server answers to whom: for each agent, rules that are tried from the top; the first that matches answers.
 * The format, with examples: templates/scripts/README.md.
 */
export interface Script {
  readonly file: string;
  readonly agents: Readonly<Record<string, readonly Rule[]>>;
}

/** Reads YAML, or a module in TypeScript or JavaScript that exports `agents`. @throws UserError with file, line and rule. */
export async function loadScript(path: string): Promise<Script> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UserError(`Cannot read the script ${path}: ${messageOf(error)}`, 2, { cause: error });
  }
  if (!/\.[cm]?[jt]s$/.test(path)) return parseScript(text, path);
  const { moduleScript } = await import('./module.js');
  return checkedScript(await moduleScript(text, path));
}

/** @throws UserError with file, line and rule. */
export function parseScript(text: string, file: string): Script {
  return checkedScript(yamlScript(text, file));
}

/** @throws UserError with file, line and rule. */
export function checkedScript({ file, raw, lineOf }: Written): Script {
  const fail = (path: readonly PropertyKey[], words: string): never => {
    throw new UserError(`${file}:${lineOf(path)}: ${place(raw, path)}${words}`);
  };
  const parsed = WrittenScript.safeParse(raw, { reportInput: true });
  if (!parsed.success) {
    const explained = parsed.error.issues.map(explain);
    // A misspelt field explains a missing one.
    const { path, words, unknownKey } =
      explained.find(({ unknownKey: key }) => key !== undefined) ?? explained[0] ?? NO_SCRIPT;
    return unknownKey === undefined ? fail(path, words) : fail([...path, unknownKey], 'there is no such field');
  }
  const agents = Object.fromEntries(
    Object.entries(parsed.data.agents).map(([agent, rules]) => [agent, (rules ?? []).map(ruleOf)]),
  );
  for (const [agent, rules] of Object.entries(agents)) checkNames(agent, rules, fail);
  return { file, agents };
}

const NO_SCRIPT: ReturnType<typeof explain> = { path: [], words: 'this is not a script' };

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
  const name = nameOfRule(raw, path);
  const where = typeof index === 'number' ? `, rule ${index + 1}${name === undefined ? '' : ` (${name})`}` : '';
  return `${String(agent)}${where}${rest.length > 0 ? `, ${rest.join('.')}` : ''}: `;
}
