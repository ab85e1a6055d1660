import type { ReplyBlock } from '../reply.js';
import type { Conversation } from './conversation.js';
import type { Block, Capture, Rule } from './rule.js';

/** A mistake of the script's author that shows only when the rule answers. */
export class ScriptProblem extends Error {}

/** What the rule captures, named groups included. @throws ScriptProblem when a capture finds nothing. */
export function capturesOf(rule: Rule, conversation: Conversation): [string, string][] {
  return Object.entries(rule.capture ?? {}).flatMap(([name, capture]) => {
    const found = firstMatch(capture, textsFor(capture, rule.when?.tool, conversation));
    if (!found)
      throw new ScriptProblem(`capture "${name}" finds nothing: ${capture.from} does not match ${capture.match}`);
    const groups = Object.entries(found.groups ?? {}).filter(([, value]) => value !== undefined);
    return [[name, found[1] ?? found[0]], ...groups];
  });
}

function textsFor({ from }: Capture, tool: string | undefined, conversation: Conversation): readonly string[] {
  const { results, lastResult = '', lastUser = '', texts } = conversation;
  if (from === 'user') return [lastUser];
  if (from === 'any') return texts;
  const fresh = results.filter((result) => tool === undefined || result.tool === tool).map(({ text }) => text);
  return fresh.length > 0 ? fresh : [lastResult];
}

function firstMatch({ match }: Capture, texts: readonly string[]): RegExpExecArray | undefined {
  for (const text of texts) {
    const found = new RegExp(match, 'm').exec(text);
    if (found) return found;
  }
  return undefined;
}

/** Captured values by name. */
export interface Values {
  get(name: string): string | undefined;
}

/** `{{user}}` and `{{result}}`. */
export function newestOf(name: string, { lastUser, lastResult }: Conversation): string | undefined {
  if (name === 'user') return lastUser ?? '';
  return name === 'result' ? (lastResult ?? '') : undefined;
}

/** The rule's reply with every `{{name}}` filled in. @throws ScriptProblem for a name without a value. */
export function fillBlocks(blocks: readonly Block[], values: Values): ReplyBlock[] {
  return blocks.map((block) => fillBlock(block, (text) => fill(text, values)));
}

function fillBlock(
  { text, thinking, tool, input, search, found }: Block,
  fillIn: (text: string) => unknown,
): ReplyBlock {
  if (search !== undefined) return { search: String(fillIn(search)), found: found ?? [] };
  if (tool !== undefined)
    return {
      tool,
      input: Object.fromEntries(Object.entries(input ?? {}).map(([key, value]) => [key, deep(value, fillIn)])),
    };
  if (thinking !== undefined) return { thinking: String(fillIn(thinking)) };
  return { text: String(fillIn(text ?? '')) };
}

function deep(value: unknown, fillIn: (text: string) => unknown): unknown {
  if (typeof value === 'string') return fillIn(value);
  if (Array.isArray(value)) return value.map((item) => deep(item, fillIn));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, deep(item, fillIn)]));
}

/** `{{name}}` becomes its value; a string that is nothing but `{{name|number}}` becomes a number. */
function fill(text: string, values: Values): string | number {
  const valueNamed = (name: string): string => {
    const value = values.get(name);
    if (value === undefined) throw new ScriptProblem(`nothing has been captured as "${name}"`);
    return value;
  };
  const [, numeric] = /^\{\{\s*([\w-]+)\s*\|\s*number\s*\}\}$/.exec(text) ?? [];
  if (numeric !== undefined) {
    const number = Number(valueNamed(numeric));
    if (Number.isNaN(number)) throw new ScriptProblem(`"${numeric}" is not a number: ${valueNamed(numeric)}`);
    return number;
  }
  return text.replace(/\{\{\s*([\w-]+)\s*\}\}/g, (_, name: string) => valueNamed(name));
}
