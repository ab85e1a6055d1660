import type * as z from 'zod/mini';

type Issue = z.core.$ZodIssue;

/** Where in the value an issue lies, and what it is, in the words that the API uses. */
export function explain(issue: Issue): { path: PropertyKey[]; words: string; unknownKey?: string } {
  if (issue.code === 'invalid_union') {
    // The branch that got furthest is the one that was meant.
    const inner = issue.errors
      .flatMap(([first]) => (first ? [first] : []))
      .sort((a, b) => b.path.length - a.path.length)[0];
    if (inner && inner.path.length > 0) {
      const { path, ...rest } = explain(inner);
      return { path: [...issue.path, ...path], ...rest };
    }
  }
  const [unknownKey] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return { path: [...issue.path], words: wordsOf(issue), ...(unknownKey !== undefined && { unknownKey }) };
}

function wordsOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_union':
      return issue.input === undefined ? 'Field required' : 'Input should be of another type';
    case 'invalid_type':
      return issue.input === undefined ? 'Field required' : `Input should be a valid ${issue.expected}`;
    case 'invalid_value':
      return `Input should be ${issue.values.map((value) => `'${String(value)}'`).join(' or ')}`;
    case 'unrecognized_keys':
      return `${issue.keys.join(', ')}: Extra inputs are not permitted`;
    case 'too_small':
      return issue.message !== 'Invalid input' ? issue.message : `Input should be at least ${issue.minimum}`;
    case 'too_big':
      return `Input should be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}
