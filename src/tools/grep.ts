import { stat } from 'node:fs/promises';
import * as z from 'zod/mini';
import { defineTool } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';
import { clip } from './support/clip.js';
import { absolutePath, judgedPaths, missingPath, realPathOf } from './support/paths.js';
import { ripgrep } from './support/ripgrep.js';

const MOST_CHARACTERS = 30_000;
const LONGEST_LINE = 1000;
const count = () => z.optional(z.int().check(z.minimum(0)));

const Input = z.object({
  pattern: z.string().check(z.minLength(1), z.describe('Regular expression of ripgrep')),
  path: z.optional(z.string().check(z.describe('File or folder; the working directory when absent'))),
  glob: z.optional(z.string().check(z.describe('Such as *.ts'))),
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
    const printed = await ripgrep([...argsOf(input), '--', root], found.isDirectory() ? root : '/', signal);
    const hits = printed.map(hitOf(input.output_mode)).filter(({ path }) => path === undefined || mayRead(path));
    if (!hits.some(({ path }) => path !== undefined)) return `Nothing in ${named} matches ${input.pattern}.`;
    return render(hits, input);
  },
});

/** Paths end in a NUL, so that a colon or a dash in a name cannot be taken for ripgrep's own. */
function argsOf(input: Input): string[] {
  const mode = {
    content: [
      ...(input['-n'] ? ['--line-number'] : ['--no-line-number']),
      ...contextOf(input),
      ...(input['-o'] ? ['--only-matching'] : []),
      ...['--null', '--no-heading', '--sort=path', `--max-columns=${LONGEST_LINE}`, '--max-columns-preview'],
    ],
    files_with_matches: ['--files-with-matches', '--sortr=modified'],
    count: ['--null', '--count', '--sort=path'],
  }[input.output_mode];
  return [
    ...['--with-filename', '--hidden'],
    ...mode,
    ...(input['-i'] ? ['--ignore-case'] : []),
    ...(input.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
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

const hitOf =
  (mode: Input['output_mode']) =>
  (line: string): Hit => {
    if (mode === 'files_with_matches') return { path: line, text: '' };
    const end = line.indexOf('\0');
    return end < 0 ? { text: line } : { path: line.slice(0, end), text: line.slice(end + 1) };
  };

function render(hits: readonly Hit[], { output_mode, head_limit, offset }: Input): string {
  const end = head_limit === 0 ? hits.length : offset + head_limit;
  const shown = hits.slice(offset, end);
  if (shown.length === 0) return `There are only ${hits.length} results; offset ${offset} is past their end.`;
  const body =
    output_mode === 'content'
      ? underPaths(shown)
      : shown.map(({ path, text }) => (text === '' ? path : `${path}: ${text}`));
  const more =
    end < hits.length
      ? [`[${shown.length} of ${hits.length} results, from ${offset}. Go on with offset ${end}, or narrow the search.]`]
      : [];
  return [clip(body.join('\n'), MOST_CHARACTERS, 'Narrow the search to see them.'), ...more].join('\n');
}

/** Each file's path once, above its lines. */
function underPaths(hits: readonly Hit[]): string[] {
  let current: string | undefined;
  return hits.flatMap(({ path, text }) => {
    if (path === undefined || path === current) return [text];
    current = path;
    return [path, text];
  });
}
