import { UserError } from './errors.js';

const MAX_CHARACTERS = 64;
const MAX_BYTES = 180;
// Device names that some file systems refuse whatever their extension: a home may lie on such a disk.
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Two names are the same name when this is equal: after NFC and case folding. Folding twice changes nothing more. */
export function foldName(name: string): string {
  const folded = name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
  return folded === name ? name : foldName(folded);
}

export function isSameName(a: string, b: string): boolean {
  return foldName(a) === foldName(b);
}

/** Why `name` cannot be the name of a team or a member, or `undefined` when it can. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (/[/\\:]/.test(name)) return 'it must not hold "/", "\\" or ":"';
  if (/[\0-\x1f\x7f-\x9f]/.test(name)) return 'it must not hold control characters';
  if (name.includes('..')) return 'it must not hold ".."';
  if (/^[-.]/.test(name)) return 'it must not begin with "-" or "."';
  if (!/^[\p{L}\p{M}\p{N}._-]+$/u.test(name)) return 'only letters, digits, ".", "_" and "-" are allowed';
  if ([...name].length > MAX_CHARACTERS) return `it has more than ${MAX_CHARACTERS} characters`;
  if (Buffer.byteLength(fileNameOf(name)) > MAX_BYTES || Buffer.byteLength(name) > MAX_BYTES)
    return `it has more than ${MAX_BYTES} bytes`;
  if (DEVICES.test(name)) return 'it is the name of a device on some systems';
  return undefined;
}

/** @throws UserError that quotes the name and the rule it breaks. */
export function checkName(kind: 'team' | 'member', name: string): string {
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new UserError(`${JSON.stringify(name)} cannot be the name of a ${kind}: ${problem}.`);
  return name;
}

/**
 * The file name (without extension) for a name: equal exactly when the names are the same name. A valid name is only
 * folded; of any other what could leave the directory is encoded, so that it stays inside whichever way it came in.
 */
export function fileNameOf(name: string): string {
  const folded = foldName(name);
  if (folded === '') return '%';
  return folded.replace(
    /[^\p{L}\p{M}\p{N}._-]|^\./gu,
    (c) => `%${(c.codePointAt(0) ?? 0).toString(16).padStart(6, '0')}`,
  );
}
