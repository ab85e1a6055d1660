import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const MOST = 1000;

/** The files and folders that a shell's pattern (absolute) names at this moment, as far as they are not too many. */
export function filesLike(pattern: string): readonly string[] {
  let found = ['/'];
  for (const segment of pattern.split('/').filter((one) => one !== '')) {
    const next = found.flatMap((folder) =>
      /[*?[]/.test(segment) ? entriesLike(segment, folder) : [join(folder, segment)],
    );
    found = next.slice(0, MOST);
  }
  return found;
}

function entriesLike(segment: string, folder: string): string[] {
  const expression = expressionOf(segment);
  try {
    const isSeen = (name: string) => segment.startsWith('.') || !name.startsWith('.');
    return readdirSync(folder).flatMap((name) => (isSeen(name) && expression.test(name) ? [join(folder, name)] : []));
  } catch {
    return [];
  }
}

function expressionOf(segment: string): RegExp {
  const source = segment.replace(/\[[!^]?\]?[^\]]*\]|[\s\S]/g, (piece) => {
    if (piece === '*') return '.*';
    if (piece === '?') return '.';
    // What is in brackets may be a class with a name; one character is all that is certain.
    if (piece.length > 1) return /^\[[\w.-]+\]$/.test(piece) ? piece : '.';
    return piece.replace(/[.+^${}()|\\[\]]/g, '\\$&');
  });
  try {
    return new RegExp(`^${source}$`, 's');
  } catch {
    return /^/;
  }
}
