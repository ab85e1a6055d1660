import { parseSync } from 'vite';

export interface Import {
  readonly specifier: string;
  readonly kind: 'value' | 'types' | 'lazy';
  /** Names imported; `*` for all. Unknown for a lazy import. */
  readonly names: readonly string[];
  readonly line: number;
}

/** A use of something global: `process.env`, `setTimeout`, `new Date()`. */
export interface Use {
  readonly what: string;
  readonly line: number;
}

export interface Source {
  readonly imports: readonly Import[];
  readonly uses: readonly Use[];
  readonly lines: number;
}

/** ESTree with TypeScript's nodes: of each kind of node the fields that are looked at. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly source?: unknown;
  readonly expression?: unknown;
  readonly importKind?: unknown;
  readonly exportKind?: unknown;
  readonly specifiers?: unknown;
  readonly imported?: unknown;
  readonly local?: unknown;
  readonly object?: unknown;
  readonly property?: unknown;
  readonly computed?: unknown;
  readonly id?: unknown;
  readonly init?: unknown;
  readonly properties?: unknown;
  readonly key?: unknown;
  readonly shorthand?: unknown;
  readonly callee?: unknown;
  readonly arguments?: unknown;
  readonly name?: unknown;
  readonly value?: unknown;
}

const GLOBAL_OBJECTS = ['process', 'Date', 'Math', 'console', 'crypto', 'performance', 'AbortSignal'];
const GLOBAL_FUNCTIONS = ['setTimeout', 'setInterval'];

/** What a TypeScript file imports and which globals it touches, read by a real parser. */
export function readSource(file: string, text: string): Source {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const uses: Use[] = [];
  visit(program, undefined, '', (node, parent, key) => {
    const line = text.slice(0, node.start).split('\n').length;
    const found = importIn(node);
    if (found) imports.push({ ...found, line });
    for (const what of usesIn(node, parent, key)) uses.push({ what, line });
  });
  return { imports, uses, lines: text.replace(/\n$/, '').split('\n').length };
}

function importIn(node: Node): Omit<Import, 'line'> | undefined {
  const specifier = literalOf(node.source) ?? literalOf(node.expression);
  if (specifier === undefined) return undefined;
  switch (node.type) {
    case 'ImportDeclaration':
      return {
        specifier,
        kind: node.importKind === 'type' ? 'types' : 'value',
        names: namesOf(node.specifiers, 'imported'),
      };
    case 'ExportNamedDeclaration':
      return {
        specifier,
        kind: node.exportKind === 'type' ? 'types' : 'value',
        names: namesOf(node.specifiers, 'local'),
      };
    case 'ExportAllDeclaration':
      return { specifier, kind: node.exportKind === 'type' ? 'types' : 'value', names: ['*'] };
    case 'ImportExpression':
      return { specifier, kind: 'lazy', names: [] };
    case 'TSImportType':
      return { specifier, kind: 'types', names: [] };
    case 'TSExternalModuleReference':
      return { specifier, kind: 'value', names: ['*'] };
    default:
      return undefined;
  }
}

function namesOf(specifiers: unknown, side: 'imported' | 'local'): string[] {
  if (!Array.isArray(specifiers)) return [];
  return specifiers.filter(isNode).map((specifier) => {
    if (specifier.type === 'ImportDefaultSpecifier') return 'default';
    if (specifier.type === 'ImportNamespaceSpecifier') return '*';
    return nameOf(specifier[side]) ?? literalOf(specifier[side]) ?? '*';
  });
}

function usesIn(node: Node, parent: Node | undefined, key: string): string[] {
  if (node.type === 'MemberExpression') {
    const owner = globalName(node.object);
    const member = node.computed === true ? literalOf(node.property) : nameOf(node.property);
    if (owner === 'globalThis' && member !== undefined && GLOBAL_FUNCTIONS.includes(member)) return [member];
    return owner !== undefined && GLOBAL_OBJECTS.includes(owner) ? [`${owner}.${member ?? '*'}`] : [];
  }
  if (node.type === 'VariableDeclarator' && isNode(node.id) && node.id.type === 'ObjectPattern') {
    const owner = globalName(node.init);
    if (owner === undefined || ![...GLOBAL_OBJECTS, 'globalThis'].includes(owner)) return [];
    const properties = node.id.properties;
    return (Array.isArray(properties) ? properties.filter(isNode) : []).map((property) => {
      const name = nameOf(property.key) ?? '*';
      return owner === 'globalThis' ? name : `${owner}.${name}`;
    });
  }
  const callee = globalName(node.callee);
  if (
    node.type === 'NewExpression' &&
    callee === 'Date' &&
    Array.isArray(node.arguments) &&
    node.arguments.length === 0
  )
    return ['new Date()'];
  if (node.type === 'CallExpression' && callee === 'Date') return ['Date()'];
  const name = nameOf(node);
  return name !== undefined && GLOBAL_FUNCTIONS.includes(name) && isReference(parent, key) ? [name] : [];
}

/** `process`, also as `globalThis.process`. */
function globalName(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'MemberExpression' && nameOf(node.object) === 'globalThis') return nameOf(node.property);
  return nameOf(node);
}

/** Not the name of a property, of something imported, or of a member of a type. */
function isReference(parent: Node | undefined, key: string): boolean {
  if (!parent) return true;
  if (parent.type === 'MemberExpression') return key !== 'property' || parent.computed === true;
  if (parent.type === 'ImportSpecifier' || parent.type === 'ExportSpecifier') return false;
  return key !== 'key' || parent.shorthand === true;
}

function visit(
  value: unknown,
  parent: Node | undefined,
  key: string,
  see: (node: Node, parent: Node | undefined, key: string) => void,
): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, parent, key, see);
  } else if (isNode(value)) {
    see(value, parent, key);
    for (const [name, child] of Object.entries(value)) visit(child, value, name, see);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' && typeof node.name === 'string' ? node.name : undefined;
}

function literalOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}
