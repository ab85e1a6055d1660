/**
 * Whether a pattern of settings means this address: `*` stands for any characters, in the host only for those of a host.
 * A pattern without a path means the bare host, or with `*` at its end everything there. Who logs in does not count.
 */
export function matchesUrl(pattern: string, address: string): boolean {
  if (pattern.trim() === '*') return true;
  const [, scheme = '', host = '', path] = /^([^:/]+):\/\/([^/?#]*)(.*)$/.exec(pattern.trim()) ?? [];
  if (scheme === '' || !URL.canParse(address)) return false;
  const url = new URL(address);
  const wantedPath = path || (host.endsWith('*') ? '*' : '/');
  // Each part against its own: what stands for anything in the host never reaches into the path.
  return (
    globbed(scheme.toLowerCase()).test(url.protocol.slice(0, -1)) &&
    globbed(withoutUsualPort(scheme, host.toLowerCase())).test(url.host) &&
    globbed(/^[/*]/.test(wantedPath) ? wantedPath : `/${wantedPath}`).test(`${url.pathname}${url.search}`)
  );
}

function globbed(pattern: string): RegExp {
  const literal = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('[\\s\\S]*')}$`);
}

/** As an address is written that was parsed. */
function withoutUsualPort(scheme: string, host: string): string {
  const usual = { http: ':80', https: ':443' }[scheme.toLowerCase()];
  return usual !== undefined && host.endsWith(usual) ? host.slice(0, -usual.length) : host;
}
