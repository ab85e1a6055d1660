import { stat } from 'node:fs/promises';
import * as z from 'zod/mini';
import { defineTool } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';
import { newestFirst } from './support/files/newest.js';
import { absolutePath, judgedPaths, missingPath, realPathOf, shownPath } from './support/files/paths.js';
import { globAdvice, globsIn } from './support/globs.js';
import { ripgrep } from './support/ripgrep.js';

const MOST_CHARACTERS = 30_000;
const LONGEST_LINE = 1000;
/** So many results are put in order here; more are searched for in order, which takes ripgrep one thread. */
const MOST_SORTED = 2000;
/** Results behind those that are shown are only counted, and no more than these. */
const MOST_COUNTED = 10_000;
const count = () => z.optional(z.int().check(z.minimum(0)));

const Input = z.object({
  pattern: z.string().check(z.minLength(1), z.describe('Regular expression of ripgrep')),
  path: z.optional(z.string().check(z.describe('File or folder; the working directory when absent'))),
  glob: z.optional(z.string().check(z.describe('Such as *.ts, or *.ts,*.tsx'))),
  type: z.optional(z.string().check(z.describe('Such as js, py'))),
  output_mode: z._default(z.enum(['content', 'files_with_matches', 'count']), 'files_with_matches'),
  '-A': count(),
  '-B': count(),
  '-C': count(),
  context: count(),
  '-n': z._default(z.boolean(), true),
  '-i': z._default(z.boolean(), false),
  '-o': z._default(z.boolean(), false),
  multiline: z._default(z.boolean(), false),
  head_limit: z._default(z.int().check(z.minimum(0), z.describe('0 for all')), 250),
  offset: z._default(z.int().check(z.minimum(0)), 0),
});
type Input = z.infer<typeof Input>;

export const grepTool = defineTool({
  name: 'Grep',
  description:
    'Searches file contents with ripgrep, leaving out what .gitignore names. Use it instead of grep or rg in Bash.',
  input: Input,
  isReadOnly: true,
  access: ({ path = '.' }, { cwd }) => ({ kind: 'read', paths: judgedPaths(absolutePath(path, cwd)) }),
  async call(input, { cwd, signal, mayRead = () => true }) {
    const named = absolutePath(input.path ?? '.', cwd);
    const root = realPathOf(named);
    const found = await stat(root).catch(() => undefined);
    if (found === undefined) throw new ToolError(await missingPath(named));
    if (!found.isDirectory() && !found.isFile())
      throw new ToolError(`${named} is neither a folder nor a regular file, and reading it might never end.`);
    const search: Search = {
      root,
      at: { cwd: found.isDirectory() ? root : '/', signal, ...(lists(input) && { separator: '\0' as const }) },
      isShown: ({ path }) => path === undefined || mayRead(path),
    };
    const hits = (await fewHits(input, search)) ?? hitsOf(input, search);
    return render(named, input, hits);
  },
});

interface Search {
  /** Real. */
  readonly root: string;
  readonly at: Parameters<typeof ripgrep>[1];
  readonly isShown: (hit: Hit) => boolean;
}

const lists = ({ output_mode }: Input) => output_mode === 'files_with_matches';

/** All results in order, found on all cores; nothing where they are too many for that. */
async function fewHits(input: Input, search: Search) {
  // The groups of a search with context are told apart by their order.
  if (input.output_mode === 'content' && contextOf(input).some((flag) => !flag.endsWith('=0'))) return undefined;
  const hits: Hit[] = [];
  for await (const hit of searched(input, [], search)) {
    hits.push(hit);
    if (hits.length > MOST_SORTED) return undefined;
  }
  if (lists(input)) return newestFirst(hits, ({ path = '' }) => path);
  return hits.sort(({ path: a = '' }, { path: b = '' }) => (a < b ? -1 : a > b ? 1 : 0));
}

function hitsOf(input: Input, search: Search) {
  return searched(input, [lists(input) ? '--sortr=modified' : '--sort=path'], search);
}

async function* searched(input: Input, order: readonly string[], { root, at, isShown }: Search): AsyncGenerator<Hit> {
  let begun = '';
  for await (const piece of ripgrep([...argsOf(input), ...order, '--', root], at)) {
    const line = `${begun}${piece}`;
    const hit = lists(input) ? { path: line, text: '' } : hitOf(line, root);
    // The name of a file may have several lines itself, and what it is must be known before any of it is shown.
    begun = hit === undefined ? `${line}\n` : '';
    if (hit && isShown(hit)) yield hit;
  }
}

/** Paths end in a NUL, so that a colon or a dash in a name cannot be taken for ripgrep's own. */
function argsOf(input: Input): string[] {
  const mode = {
    content: [
      ...(input['-n'] ? ['--line-number'] : ['--no-line-number']),
      ...contextOf(input),
      ...(input['-o'] ? ['--only-matching'] : []),
      ...['--null', '--no-heading', `--max-columns=${LONGEST_LINE}`, '--max-columns-preview'],
    ],
    files_with_matches: ['--files-with-matches', '--null'],
    count: ['--null', '--count'],
  }[input.output_mode];
  return [
    ...['--with-filename', '--hidden'],
    ...mode,
    ...(input['-i'] ? ['--ignore-case'] : []),
    ...(input.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...globsIn(input.glob ?? '').map((glob) => `--glob=${glob}`),
    ...(input.type === undefined ? [] : [`--type=${input.type}`]),
    '--glob=!.git',
    `--regexp=${input.pattern}`,
  ];
}

function contextOf(input: Input): string[] {
  const around = input['-C'] ?? input.context ?? 0;
  return [`--after-context=${input['-A'] ?? around}`, `--before-context=${input['-B'] ?? around}`];
}

/** A printed line; one without a path separates groups. */
interface Hit {
  readonly path?: string;
  readonly text: string;
}

/** What a line says; nothing where it is only the beginning of one. */
function hitOf(line: string, root: string): Hit | undefined {
  const end = line.indexOf('\0');
  if (end >= 0) return { path: line.slice(0, end), text: line.slice(end + 1) };
  if (!line.startsWith(root)) return { text: line };
  const [, path, text] = /^(.*): ((?:WARNING: stopped searching )?binary file .*)$/s.exec(line) ?? [];
  return path === undefined || text === undefined ? undefined : { path, text };
}

/** As many results as were asked for and fit; those behind them are counted. */
async function render(named: string, input: Input, hits: AsyncIterable<Hit> | Iterable<Hit>): Promise<string> {
  const { pattern, output_mode, head_limit, offset } = input;
  const shown: Hit[] = [];
  let [count, characters, isFull, hasPath] = [0, 0, false, false];
  let isCounted = true;
  for await (const hit of hits) {
    count++;
    hasPath ||= hit.path !== undefined;
    if (count <= offset) continue;
    characters += hit.text.length + (hit.path === shown.at(-1)?.path ? 0 : (hit.path?.length ?? 0)) + 1;
    isFull ||= (head_limit > 0 && shown.length >= head_limit) || (characters > MOST_CHARACTERS && shown.length > 0);
    if (!isFull) shown.push(hit);
    isCounted = count - shown.length < MOST_COUNTED;
    if (!isCounted) break;
  }
  if (!hasPath) {
    const { glob } = input;
    const where = glob === undefined ? '' : ` in files like ${glob}.${globsIn(glob).map(globAdvice).join('')}`;
    return `Nothing in ${named} matches ${pattern}${where || '.'}`;
  }
  if (shown.length === 0) return `There are only ${count} results; offset ${offset} is past their end.`;
  const body =
    output_mode === 'content'
      ? underPaths(shown)
      : shown.map(({ path = '', text }) => (text === '' ? shownPath(path) : `${shownPath(path)}: ${text}`));
  const end = offset + shown.length;
  const total = isCounted ? `${count}` : `more than ${count}`;
  const more =
    end < count
      ? [`[${shown.length} of ${total} results, from ${offset}. Go on with offset ${end}, or narrow the search.]`]
      : [];
  return [...body, ...more].join('\n');
}

/** Each file's path once, above its lines. */
function underPaths(hits: readonly Hit[]): string[] {
  let current: string | undefined;
  return hits.flatMap(({ path, text }) => {
    if (path === undefined || path === current) return [text];
    current = path;
    return [shownPath(path), text];
  });
}
