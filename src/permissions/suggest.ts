import { dirname } from 'node:path';
import { oneLine } from '../util/text.js';
import type { Access } from './access.js';
import { formatRule } from './rule.js';
import { parseSimpleCommand } from './simpleCommand.js';

/** A rule that would have let the call pass. */
export interface Suggestion {
  readonly behavior: 'allow';
  readonly rule: string;
}

interface Call {
  readonly tool: { readonly name: string };
  readonly access: Access;
}

/** One line for a person who has to decide on a call. */
export function describeCall({ tool, access }: Call): string {
  switch (access.kind) {
    case 'none':
      return tool.name;
    case 'read':
    case 'write':
      return `${tool.name} ${[...access.paths].reverse().join(' as ')}`;
    case 'shell':
      return `${tool.name}: ${oneLine(access.command, 300)}`;
    case 'other':
      return access.specifier === undefined ? tool.name : `${tool.name} ${oneLine(access.specifier, 300)}`;
  }
}

/** Programs whose every use is another program: a rule for all their calls would be a rule for anything. */
const RUNS_ANYTHING = new Set(
  (
    'sh bash zsh dash fish env xargs sudo doas eval exec source . command builtin timeout time nice nohup setsid find ssh ' +
    'python python3 node deno bun perl ruby php lua awk docker'
  ).split(' '),
);
const HAS_SUBCOMMANDS = new Set(
  'git npm npx pnpm yarn cargo go make just kubectl gh pip uv bundle composer mvn gradle dotnet'.split(' '),
);

/** Rules that would allow the call from now on, the narrowest first. */
export function suggestRules({ tool, access }: Call): readonly Suggestion[] {
  switch (access.kind) {
    case 'none':
      return [];
    case 'read':
      return [
        ...new Set(access.paths.map((path) => `Read(//${dirname(path).slice(1)}/**)`.replace('///**', '//**'))),
      ].map(allow);
    case 'write':
      return [
        ...new Set(access.paths.map((path) => `Edit(//${dirname(path).slice(1)}/**)`.replace('///**', '//**'))),
      ].map(allow);
    case 'shell':
      return shellRules(access.command).map((specifier) => allow(formatRule({ tool: tool.name, specifier })));
    case 'other':
      return [
        allow(formatRule({ tool: tool.name, ...(access.specifier !== undefined && { specifier: access.specifier }) })),
      ];
  }
}

function shellRules(command: string): string[] {
  const text = command.trim();
  const exact = text.includes('*') ? [] : [text];
  const words = parseSimpleCommand(text)?.words.map((word) => word.text) ?? [];
  const [program, sub] = words;
  if (program === undefined || RUNS_ANYTHING.has(program) || /[*/()]/.test(program)) return exact;
  if (!HAS_SUBCOMMANDS.has(program)) return [...exact, `${program} *`];
  return sub !== undefined && /^[a-z][\w:-]*$/.test(sub) ? [...exact, `${program} ${sub} *`] : exact;
}

const allow = (rule: string): Suggestion => ({ behavior: 'allow', rule });
