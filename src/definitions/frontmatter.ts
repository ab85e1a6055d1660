import { messageOf, UserError } from '../util/errors.js';

export interface FrontMatter {
  readonly data: Readonly<Record<string, unknown>>;
  /** What follows the front matter, without blank lines around it. */
  readonly body: string;
  /** The line of the file, from 1, on which the body begins. */
  readonly bodyLine: number;
  /** The line of a key (`'lead', 'model'` for a nested one); of the nearest one above it where it is not there. */
  lineOf(...path: readonly PropertyKey[]): number;
}

/** A file of definitions that cannot be used: which, where, and why. */
export class FileProblem extends UserError {
  readonly file: string;
  readonly line: number;
  readonly reason: string;

  constructor(file: string, line: number, reason: string, options?: ErrorOptions) {
    super(`${file}:${line}: ${reason}`, undefined, options);
    this.file = file;
    this.line = line;
    this.reason = reason;
  }
}

/**
 * Splits a Markdown file into its YAML front matter and its body. A byte order mark, CRLF, a colon in an
 * unquoted value of one line and an argument hint of several brackets are put up with.
 * @throws FileProblem with the line of the mistake.
 */
export async function parseFrontMatter(text: string, file: string): Promise<FrontMatter> {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const [firstLine = ''] = source.split('\n', 1);
  const [, language] = /^---[ \t]*(\S*)[ \t]*$/.exec(firstLine) ?? [];
  if (language === undefined)
    throw new FileProblem(file, 1, 'it does not begin with front matter: "---" must be its first line.');
  if (!/^(ya?ml)?$/i.test(language))
    throw new FileProblem(file, 1, `its front matter is ${language}, and only YAML is read.`);
  if (!/\n---[ \t]*(\n|$)/.test(source))
    throw new FileProblem(file, 1, 'its front matter is not closed by a line "---".');

  const [{ default: matter }, read] = await Promise.all([import('gray-matter'), yamlReader(file)]);
  let lineOf: FrontMatter['lineOf'] = () => 1;
  const { data, content } = matter(source, {
    language: 'yaml',
    engines: {
      yaml: (block: string) => {
        const parsed = read(block);
        lineOf = parsed.lineOf;
        return parsed.data;
      },
      javascript: refuse,
      json: refuse,
    },
  });
  const body = content.replace(/^\s*\n/, '');
  return { data, body: body.trimEnd(), bodyLine: lineCount(source.slice(0, source.length - body.length)), lineOf };
}

// gray-matter goes by the word behind "---" whatever language it is asked for, and runs JavaScript.
const refuse = () => {
  throw new Error('Only YAML front matter is read.');
};

interface Yaml {
  readonly data: Record<string, unknown>;
  readonly lineOf: FrontMatter['lineOf'];
}

async function yamlReader(file: string): Promise<(block: string) => Yaml> {
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = await import('yaml');

  const parse = (block: string) => {
    const lines = new LineCounter();
    return { lines, document: parseDocument(block, { lineCounter: lines, prettyErrors: false }) };
  };

  return (block) => {
    let { lines, document } = parse(block);
    if (document.errors.length > 0) {
      const tolerant = parse(withColonsQuoted(block));
      if (tolerant.document.errors.length === 0) ({ lines, document } = tolerant);
    }
    const fail = (line: number, error: unknown): never => {
      throw new FileProblem(file, line, `its front matter is not YAML: ${messageOf(error)}`, { cause: error });
    };
    const [error] = document.errors;
    if (error) fail(lines.linePos(error.pos[0]).line, error);
    let data: unknown;
    try {
      data = document.toJS() ?? {};
    } catch (error) {
      // An alias without its anchor, or so many that they would fill the memory.
      fail(2, error);
    }
    if (!isRecord(data)) throw new FileProblem(file, 2, 'its front matter must be a list of "key: value" lines.');

    const lineOf = (...path: readonly PropertyKey[]): number => {
      let node: unknown = document.contents;
      let offset = 0;
      for (const step of path) {
        if (isMap(node)) {
          const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
          if (!pair) break;
          if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
          node = pair.value;
        } else if (isSeq(node)) {
          node = node.items[Number(step)];
          if (isMap(node) || isSeq(node) || isScalar(node)) offset = node.range?.[0] ?? offset;
        } else break;
      }
      return lines.linePos(offset).line;
    };
    return { data, lineOf };
  };
}

/**
 * Quotes plain values of one line that hold a colon, which YAML takes for a mapping, and `argument-hint: [a] [b]`, which
 * it takes for a list with something behind it. Keeps the number of lines.
 */
function withColonsQuoted(block: string): string {
  const quoted = (_: string, key: string, value: string) => `${key}${JSON.stringify(value.trimEnd())}`;
  return block
    .replace(/^(\s*(?:- )?[A-Za-z][\w-]*:[ \t]+)([^\s"'[\]{}|>&*!%@`#].*:.*)$/gm, quoted)
    .replace(/^(argument-hint:[ \t]+)(\[.*)$/gm, quoted);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const lineCount = (text: string) => text.split('\n').length;
