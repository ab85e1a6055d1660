/** A piece of a skill's body: words, or a command whose output stands in its place. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'command'; readonly command: string };

const COMMAND = /(?<=^|\s)!`([^`\n]+)`/gm;

/**
 * The body with its arguments in it: `$ARGUMENTS` all of them, `$ARGUMENTS[N]` and `$N` one, counted from 0. Where the
 * body asks for none they stand at its end. An argument never becomes a command.
 */
export function piecesOf(body: string, args: string, folder: string | undefined): Piece[] {
  const list = argumentsIn(args);
  const fill = (text: string) =>
    text
      .replace(/\$\{CLAUDE_SKILL_DIR\}/g, (whole) => folder ?? whole)
      .replace(PLACEHOLDER, (whole, inList?: string, alone?: string) => {
        if (inList !== undefined) return list[Number(inList)] ?? '';
        // "$5" may be a price, or a field of awk.
        return alone === undefined ? args : (list[Number(alone)] ?? whole);
      });
  const pieces: Piece[] = [];
  let done = 0;
  for (const match of body.matchAll(COMMAND)) {
    const [whole, command = ''] = match;
    pieces.push(
      { kind: 'text', text: fill(body.slice(done, match.index)) },
      { kind: 'command', command: fill(command) },
    );
    done = match.index + whole.length;
  }
  const asks = body.search(PLACEHOLDER) >= 0;
  const rest = args === '' || asks ? '' : `\n\nArguments: ${args}`;
  return [...pieces, { kind: 'text', text: `${fill(body.slice(done))}${rest}` }];
}

const PLACEHOLDER = /\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS(?![\w[])|\$(\d+)(?![\w.])/g;

/** Words, of which those in quotes may hold spaces. */
export function argumentsIn(text: string): string[] {
  return [...text.matchAll(/"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+)/gs)].map(
    ([, double, single, plain]) => double?.replace(/\\(.)/gs, '$1') ?? single ?? plain ?? '',
  );
}
