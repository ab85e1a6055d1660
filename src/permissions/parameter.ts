import { matchesWildcards, type Rule } from './rule.js';

/** What a rule's specifier speaks of without a name in front; `Tool(name:value)` is for the others. */
const MAIN_FIELDS = new Set([
  'command',
  'file_path',
  'path',
  'notebook_path',
  'url',
  'domain',
  'query',
  'skill',
  'subagent_type',
]);

/** Whether a deny or ask rule of the form `Tool(parameter:value)` speaks of this input. */
export function matchesParameter({ specifier = '' }: Rule, input: unknown): boolean {
  const [, name = '', pattern = ''] = /^(\w+):(.+)$/s.exec(specifier) ?? [];
  if (name === '' || MAIN_FIELDS.has(name) || typeof input !== 'object' || input === null) return false;
  const value = Object.entries(input).find(([key]) => key === name)?.[1];
  if (value === undefined || value === null || typeof value === 'object') return false;
  return matchesWildcards(pattern, String(value));
}
