import { dirname } from 'node:path';
import { oneLine } from '../util/text.js';
import type { Access } from './access.js';
import { formatRule } from './rule.js';
import { layersOf, runsOthers } from './shell/runsOthers.js';
import { isKnown, type Part, type Script } from './shell/script.js';
import type { Open } from './shell/shellVerdict.js';

/** A rule that would have let the call pass. */
export interface Suggestion {
  readonly behavior: 'allow';
  readonly rule: string;
}

interface Call {
  readonly tool: { readonly name: string };
  readonly access: Access;
  readonly script?: Script | undefined;
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

/** More than this nobody reads before saying yes to them. */
const MOST_RULES = 5;

/**
 * Rules that would allow the call from now on, the narrowest first.
 * @param open what of a shell command nothing allows yet.
 */
export function suggestRules({ tool, access, script }: Call, open?: Open): readonly Suggestion[] {
  switch (access.kind) {
    case 'none':
      return [];
    case 'read':
      return folderRules('Read', access.paths).map(allow);
    case 'write':
      return folderRules('Edit', access.paths).map(allow);
    case 'shell':
      return shellRules(tool.name, access.command, script, open).slice(0, MOST_RULES).map(allow);
    case 'other':
      return [
        allow(formatRule({ tool: tool.name, ...(access.specifier !== undefined && { specifier: access.specifier }) })),
      ];
  }
}

const folderRules = (tool: string, paths: readonly string[]): string[] => [
  ...new Set(paths.map((path) => `${tool}(//${dirname(path).slice(1)}/**)`.replace('///**', '//**'))),
];

/** For one command its own text and a wider rule; for several, one rule for each that needs one. */
function shellRules(tool: string, command: string, script?: Script, open?: Open): string[] {
  const text = command.trim();
  const exact = text.includes('*') ? [] : [formatRule({ tool, specifier: text })];
  const parts = open?.parts ?? [];
  if (!script?.isUnderstood || !open || parts.some(({ isUnsafe }) => isUnsafe)) return exact;
  const redirected = [...folderRules('Read', open.reads), ...folderRules('Edit', open.writes)];
  const rules = parts.map(({ part }) => ({ narrow: textRule(tool, part), wide: wideRule(tool, part) }));
  const isSingle = script.parts.length === 1 && redirected.length === 0;
  if (isSingle) return [...exact, ...rules.flatMap(({ wide }) => wide ?? [])];
  const chosen = rules.map(({ narrow, wide }) => wide ?? narrow);
  if (chosen.includes(undefined)) return exact;
  return [...new Set([...chosen.filter((rule) => rule !== undefined), ...redirected])];
}

function textRule(tool: string, { words }: Part): string | undefined {
  const specifier = words.map(({ text }) => text).join(' ');
  const isPlain = words.every((word) => isKnown(word) && !/\s/.test(word.text)) && !/[*]/.test(specifier);
  return isPlain && specifier !== '' ? formatRule({ tool, specifier }) : undefined;
}

function wideRule(tool: string, { words }: Part): string | undefined {
  const [program = '', sub] = words.map(({ text }) => text);
  // No rule with a star would speak for it.
  if (runsOthers(layersOf(words).at(-1) ?? [])) return undefined;
  if (program === '' || RUNS_ANYTHING.has(program) || /[*/()]/.test(program) || !isKnown({ text: program }))
    return undefined;
  if (!HAS_SUBCOMMANDS.has(program)) return formatRule({ tool, specifier: `${program} *` });
  return sub !== undefined && /^[a-z][\w:-]*$/.test(sub)
    ? formatRule({ tool, specifier: `${program} ${sub} *` })
    : undefined;
}

const allow = (rule: string): Suggestion => ({ behavior: 'allow', rule });
