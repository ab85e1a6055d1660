import { type DefaultTreeAdapterMap, parse } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Of itself and everything in it. */
  readonly text: string;
  readonly inside: readonly Element[];
}

/** A page as a browser reads it, and what it found wrong there. */
export function parsedPage(page: string): {
  readonly elements: readonly Element[];
  readonly errors: readonly string[];
  all(name: string, attribute?: string, value?: string): readonly Element[];
  byId(id: string): Element;
} {
  const errors: string[] = [];
  const document = parse(page, { onParseError: ({ code, startLine }) => errors.push(`${code} in line ${startLine}`) });
  const elements = elementsIn(document);
  return {
    elements,
    errors,
    all: (name, attribute, value) => allOf(elements, name, attribute, value),
    byId(id) {
      const [found] = elements.filter((element) => element.attributes['id'] === id);
      if (!found) throw new Error(`No element has the id ${id}.`);
      return found;
    },
  };
}

export function allOf(
  elements: readonly Element[],
  name: string,
  attribute?: string,
  value?: string,
): readonly Element[] {
  return elements.filter(
    (element) => element.name === name && (attribute === undefined || element.attributes[attribute] === value),
  );
}

/** All of them in the order of the page, however deep. */
function elementsIn(node: Node): Element[] {
  const children = 'childNodes' in node ? node.childNodes : [];
  const inside = children.flatMap(elementsIn);
  if (!('tagName' in node)) return inside;
  const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
  const element = {
    name: node.tagName,
    attributes,
    inside,
    get text() {
      return textIn(node);
    },
  };
  return [element, ...inside];
}

function textIn(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textIn).join('') : '';
}
