import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { hasCode, messageOf, ToolError } from '../../../util/errors.js';
import { isPrivateAddress } from './privateAddress.js';

/** Every address of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

export interface FetchOptions {
  readonly resolve: Resolve;
  /** Whether a rule lets agents at this host though its address is private. */
  readonly mayReachPrivate: (host: string) => boolean;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export type Fetched =
  | { readonly kind: 'page'; readonly url: string; readonly type: string; readonly body: Buffer }
  /** Another host's, which nobody was asked about. */
  | { readonly kind: 'redirect'; readonly status: number; readonly to: string };

const MOST_HOPS = 10;

/**
 * Gets a page over HTTPS, or over HTTP from a private host that a rule allows, following redirects within its host. Each host's name is
 * resolved once and those very addresses are connected to, so that no second answer can lead elsewhere.
 * @throws ToolError
 */
export async function fetchPage(address: URL, options: FetchOptions): Promise<Fetched> {
  let url = address;
  for (let hop = 0; hop <= MOST_HOPS; hop++) {
    const response = await request(url, options);
    const { statusCode: status = 0, headers } = response;
    const isRedirect = [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
    if (!isRedirect) return { kind: 'page', ...(await pageOf(url, response, options)) };
    response.destroy();
    const location = headers.location ?? '';
    const to = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (!to || !/^https?:$/.test(to.protocol)) throw new ToolError(`${url.href} redirects to what is no web address.`);
    if (bareHost(to) !== bareHost(url)) return { kind: 'redirect', status, to: to.href };
    url = to;
  }
  throw new ToolError(`${address.href} redirects more than ${MOST_HOPS} times.`);
}

const bareHost = ({ hostname }: URL) => hostname.replace(/^www\./, '');

/** Which addresses may be connected to, the first that answers, and how. @throws ToolError where none may be. */
export function destinationOf(
  url: URL,
  addresses: readonly string[],
  mayReachPrivate: FetchOptions['mayReachPrivate'],
): { readonly url: URL; readonly addresses: readonly [string, ...string[]] } {
  const [address, ...others] = addresses;
  if (address === undefined) throw new ToolError(`${url.hostname} has no address. Is the name right?`);
  const isPrivate = addresses.some(isPrivateAddress);
  if (isPrivate && !mayReachPrivate(url.hostname))
    throw new ToolError(
      `${url.hostname} is an address of this machine or its network, which is not fetched unless the user has a rule that allows WebFetch(domain:${url.hostname}).`,
    );
  const safe = new URL(url);
  if (!isPrivate) safe.protocol = 'https:';
  return { url: safe, addresses: [address, ...others] };
}

async function request(url: URL, { resolve, mayReachPrivate, signal }: FetchOptions): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) ? [host] : await resolve(host).catch((error: unknown) => unreachable(url, error));
  const { addresses, url: upgraded } = destinationOf(url, found, mayReachPrivate);
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  const { get } = upgraded.protocol === 'https:' ? await import('node:https') : await import('node:http');
  try {
    return await new Promise<IncomingMessage>((answer, reject) => {
      const sent = get(upgraded, {
        signal,
        agent: false,
        headers: {
          accept: 'text/markdown, text/html;q=0.9, */*;q=0.5',
          'accept-encoding': 'gzip, deflate, br',
          'user-agent': 'troupe',
        },
        lookup: (_, { all }, done) => (all ? done(null, known) : done(null, addresses[0], isIP(addresses[0]))),
      });
      sent.once('response', answer);
      sent.on('error', reject);
    });
  } catch (error) {
    return unreachable(upgraded, error, signal);
  }
}

function unreachable(url: URL, error: unknown, signal?: AbortSignal): never {
  signal?.throwIfAborted();
  const reason = hasCode(error, 'ENOTFOUND', 'EAI_AGAIN') ? `there is no host ${url.hostname}` : messageOf(error);
  throw new ToolError(`${url.href} could not be fetched: ${reason}.`, { cause: error });
}

async function pageOf(url: URL, response: IncomingMessage, { maxBytes, signal }: FetchOptions) {
  const { statusCode = 0, statusMessage = '', headers } = response;
  if (statusCode !== 200) {
    response.destroy();
    throw new ToolError(`${url.href} answered ${statusCode} ${statusMessage}`.trimEnd());
  }
  try {
    const body = await bodyOf(response, headers['content-encoding'], maxBytes);
    if (body === undefined)
      throw new ToolError(
        `${url.href} is larger than ${maxBytes} bytes. Download it with Bash (curl) and look at parts.`,
      );
    return { url: url.href, type: headers['content-type'] ?? '', body };
  } catch (error) {
    return error instanceof ToolError ? Promise.reject(error) : unreachable(url, error, signal);
  } finally {
    response.destroy();
  }
}

/** What it says, unpacked; nothing when that is larger than allowed. */
async function bodyOf(response: IncomingMessage, encoding: string | undefined, maxBytes: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of await unpacked(response, encoding)) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function unpacked(response: IncomingMessage, encoding: string | undefined): Promise<Readable> {
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
      return response;
    case 'br':
      return through(response, createBrotliDecompress());
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return through(response, createUnzip());
    default:
      throw new ToolError(`The page is packed as ${encoding}, which is not known here.`);
  }
}

function through(response: IncomingMessage, unpack: ReturnType<typeof import('node:zlib').createUnzip>): Readable {
  // Failures reach whoever reads the end of it.
  return pipeline(response, unpack, () => {});
}
