import { isMap, LineCounter, parseDocument } from 'yaml';
import { UserError } from '../../util/errors.js';
import { fieldOf, type Written } from './written.js';

/** @throws UserError with file and line when it is not YAML. */
export function yamlScript(text: string, file: string): Written {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [syntax] = document.errors;
  if (syntax) throw new UserError(`${file}:${lines.linePos(syntax.pos[0]).line}: ${syntax.message.split('\n')[0]}`);
  const raw: unknown = document.toJS();

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
  return { file, raw, lineOf };
}

function startOf(node: unknown): number | undefined {
  const range = fieldOf(node, 'range');
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : undefined;
}
