import { isRecord } from './frontmatter.js';

/** What the name of a variable or a header says that its value is. */
const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie/i;
/** What some well-known secrets begin with, anywhere in a value. */
const SECRET_VALUE =
  /\b(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA)\w|\b(?:Bearer|Basic)\s+\S|:\/\/[^/\s:@]*:[^/\s@]+@/;

/** Where secrets are written out in MCP servers, in place of the `${VAR}` that would stand for them: `name.env.API_KEY`. */
export function writtenSecrets(servers: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(servers).flatMap(([name, server]) => secretsIn(server, name, false));
}

function secretsIn(value: unknown, place: string, isNamed: boolean): string[] {
  if (typeof value === 'string') {
    const literal = value.replace(/\$\{[^}]*\}/g, '');
    return (isNamed && literal === value && value !== '') || SECRET_VALUE.test(literal) ? [place] : [];
  }
  if (Array.isArray(value)) return value.flatMap((one, index) => secretsIn(one, `${place}.${index}`, false));
  if (!isRecord(value)) return [];
  const isOfValues = /\.(env|headers)$/.test(place);
  return Object.entries(value).flatMap(([key, one]) =>
    secretsIn(one, `${place}.${key}`, isOfValues && SECRET_NAME.test(key)),
  );
}
