import { isRecord } from './frontmatter.js';
import type { ServerConfig } from './mcp.js';

/** What the name of a variable or a header says that its value is. */
const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie/i;
/** What some well-known secrets begin with, anywhere in a value. */
const SECRET_VALUE =
  /\b(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA)\w|\b(?:Bearer|Basic)\s+\S|:\/\/[^/\s:@]*:[^/\s@]+@/;

/** Where secrets are written out in MCP servers, in place of the `${VAR}` that would stand for them: `name.env.API_KEY`. */
export function writtenSecrets(servers: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(servers).flatMap(([name, server]) => secretsIn(server, name, false));
}

const SHORTEST_SECRET = 6;

/** Takes a server's secrets out of a text, for a log and an error go further than its configuration: a server may send back what it was sent. */
export function secretMask(config: ServerConfig): (text: string) => string {
  const values = config.type === 'stdio' ? config.env : config.headers;
  const named = Object.entries(values ?? {}).filter(
    ([name, value]) => SECRET_NAME.test(name) || SECRET_VALUE.test(value),
  );
  const found = [...named.map(([, value]) => value), ...(config.type === 'stdio' ? [] : secretsInUrl(config.url))];
  const written = found.flatMap((value) => [
    value,
    value.replace(/^(?:Bearer|Basic)\s+/i, ''),
    encodeURIComponent(value),
  ]);
  const secrets = [...new Set(written)]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
}

function secretsInUrl(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  return [password, ...[...searchParams].flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []))];
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
