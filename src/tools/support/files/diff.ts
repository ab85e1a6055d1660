import { clip } from '../clip.js';

const MOST_CHARACTERS = 8_000;
// Comparing takes quadratic time in the number of changes.
const MOST_CHANGES = 4_000;

/** The changed lines with three around each, as a unified diff; a word on the size where that would be too much. */
export async function diffOf(path: string, before: string, after: string): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MOST_CHANGES,
  });
  if (patch === undefined) return `(Nearly everything changed: ${lines(before)} lines became ${lines(after)}.)`;
  const body = patch.slice(patch.indexOf('@@'));
  return patch.includes('@@')
    ? clip(body.trimEnd(), MOST_CHARACTERS, 'Read the file to see all of it.')
    : '(No line changed.)';
}

const lines = (text: string) => (text === '' ? 0 : text.replace(/\n$/, '').split('\n').length);
