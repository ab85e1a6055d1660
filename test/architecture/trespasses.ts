import { posix } from 'node:path';
import { BARRELS, DOORS, type Door, MAX_LINES, MAY_IMPORT } from './rules.js';
import { type Import, readSource, type Source, type Use } from './source.js';

/** What breaks the architecture in these files (path below `src` → text), a line each. */
export function trespassesIn(files: ReadonlyMap<string, string>): string[] {
  const sources = new Map([...files].map(([file, text]) => [file, readSource(file, text)]));
  return [
    ...[...sources].flatMap(([file, source]) => [
      ...shape(file, source),
      ...walls(file, source),
      ...doors(file, source),
    ]),
    ...rings(sources),
  ];
}

const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '');

function shape(file: string, { lines }: Source): string[] {
  const found: string[] = [];
  if (lines > MAX_LINES) found.push(`${file} has ${lines} lines, more than ${MAX_LINES}`);
  if (posix.basename(file) === 'index.ts' && !BARRELS.includes(file))
    found.push(`${file} is a barrel: import the file that defines the thing`);
  if (!(folderOf(file) in MAY_IMPORT)) found.push(`${file} is in no folder of the layer table`);
  return found;
}

/** The file that an import means, below `src`; `undefined` for a package. */
function target(file: string, { specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.normalize(posix.join(posix.dirname(file), specifier)).replace(/\.js$/, '.ts');
}

function walls(file: string, { imports }: Source): string[] {
  const from = folderOf(file);
  const permits = MAY_IMPORT[from] ?? [];
  return imports.flatMap((one) => {
    const path = target(file, one);
    if (path === undefined) return [];
    const to = folderOf(path);
    if (path.startsWith('..')) return [`${file}:${one.line} leaves src: ${one.specifier}`];
    if (to === from || permits.includes(to) || permits.includes(path)) return [];
    if (!permits.includes(`${to}:types`)) return [`${file}:${one.line} imports ${path}: ${from} may not import ${to}`];
    return one.kind === 'types' ? [] : [`${file}:${one.line} imports ${path}: ${from} may import only types of ${to}`];
  });
}

function doors(file: string, { imports, uses }: Source): string[] {
  return DOORS.filter(
    ({ owners }) => !owners.some((owner) => file === owner || (owner.endsWith('/') && file.startsWith(owner))),
  ).flatMap((door) => {
    const at = door.owners.length > 0 ? `its door is ${door.owners.join(', ')}` : 'nothing may';
    return [
      ...imports
        .filter((one) => isThrough(door, one))
        .map(({ line, specifier }) => `${file}:${line} imports ${specifier}: ${at}`),
      ...uses.filter((use) => isBeyond(door, use)).map(({ line, what }) => `${file}:${line} uses ${what}: ${at}`),
    ];
  });
}

function isThrough({ packages = [], names, typesTravel = false }: Door, one: Import): boolean {
  const bare = (name: string) => name.replace(/^node:/, '');
  const isIts = packages.some(
    (name) => bare(one.specifier) === bare(name) || bare(one.specifier).startsWith(`${bare(name)}/`),
  );
  if (!isIts || (typesTravel && one.kind === 'types')) return false;
  // What is taken out of a lazy import cannot be seen here.
  return names === undefined || one.kind === 'lazy' || one.names.some((name) => names.includes(name));
}

function isBeyond({ members = [], globals = [] }: Door, { what }: Use): boolean {
  return (
    globals.includes(what) ||
    members.some(
      (member) =>
        member === what ||
        (what.includes('.') && (member === what.replace(/\..*/, '.*') || what === member.replace(/\..*/, '.*'))),
    )
  );
}

function rings(sources: ReadonlyMap<string, Source>): string[] {
  const found = new Map<string, string>();
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const ring = path.slice(start);
      found.set([...ring].sort().join(), `${[...ring, file].join(' → ')} is a ring`);
      return;
    }
    const source = sources.get(file);
    if (!source || done.has(file)) return;
    for (const one of source.imports) {
      const next = target(file, one);
      if (next !== undefined) walk(next, [...path, file]);
    }
    done.add(file);
  };
  for (const file of sources.keys()) walk(file, []);
  return [...found.values()];
}
