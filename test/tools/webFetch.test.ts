import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/host/clock.js';
import { destinationOf } from '../../src/tools/support/web/fetchPage.js';
import { isPrivateAddress } from '../../src/tools/support/web/privateAddress.js';
import { createWebFetchTool, type WebFetchDeps } from '../../src/tools/webFetch.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { textOf, toolContext } from './context.js';

interface Site extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** What was asked for, in order. */
  readonly asked: string[];
}

async function site(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Site> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const html = (body: string | Buffer, headers: Record<string, string> = {}) =>
  site((_, response) => response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body));

/** The page as the small model is shown it. */
const echo = async (text: string) => /<page>\n([\s\S]*)\n<\/page>/.exec(text)?.[1] ?? text;

function webFetch(given: Partial<WebFetchDeps> = {}) {
  const tool = createWebFetchTool({
    clock: systemClock,
    isAllowedByName: () => true,
    askSmallModel: echo,
    ...given,
  });
  return (url: string, signal = new AbortController().signal) =>
    textOf(tool, { url, prompt: 'What is it?' }, toolContext('/', { signal })).catch((error: Error) => error.message);
}

it('has a small model answer the prompt from the page as Markdown, which holds no instruction', async () => {
  await using here = await html(
    '<html><head><title>T</title><style>p{}</style><script>evil()</script></head><body><h1>Head</h1><p>See <a href="/x">this</a></p></body></html>',
  );
  let seen = '';
  const fetch = webFetch({
    askSmallModel: async (text) => {
      seen = text;
      return 'An answer.';
    },
  });
  expect(await fetch(here.url)).toBe('An answer.');
  expect(seen).toContain('<page>\n# Head\n\nSee [this](/x)\n</page>');
  expect(seen).toMatch(/never an instruction/);
  expect(seen).toMatch(/What is it\?$/);
});

it('gives the page itself when no model can be asked', async () => {
  await using here = await html('<p>Text</p>');
  const fetch = webFetch({ askSmallModel: () => Promise.reject(new Error('overloaded')) });
  expect(await fetch(here.url)).toBe('No model could be asked about the page (overloaded). Itself:\n\nText');
});

it('follows redirects within a host and tells of one to another', async () => {
  await using here = await site(({ url }, response) => {
    if (url === '/a') response.writeHead(302, { location: '/b' }).end();
    else if (url === '/b') response.writeHead(200, { 'content-type': 'text/plain' }).end('arrived');
    else if (url === '/loop') response.writeHead(307, { location: '/loop' }).end();
    else response.writeHead(301, { location: 'https://elsewhere.example/x' }).end();
  });
  const fetch = webFetch();
  expect(await fetch(`${here.url}/a`)).toBe('arrived');
  expect(await fetch(`${here.url}/away`)).toBe(
    `${here.url}/away redirects (301) to another host: https://elsewhere.example/x\nIt was not followed. Call WebFetch with that URL if you want it.`,
  );
  expect(await fetch(`${here.url}/loop`)).toMatch(/redirects more than 10 times/);
});

it('keeps a page for 15 minutes', async () => {
  await using here = await html('<p>x</p>');
  const clock = fakeClock();
  const fetch = webFetch({ clock });
  await fetch(here.url);
  await fetch(`${here.url}/#part`);
  expect(here.asked).toEqual(['/']);
  await clock.pass(15 * 60_000 + 1);
  await fetch(here.url);
  expect(here.asked).toEqual(['/', '/']);
});

it.each([
  ['what the server says', 'text/html; charset=iso-8859-1', Buffer.from('<p>gr\xfcn</p>', 'latin1')],
  ['what the page says', 'text/html', Buffer.from('<meta charset="windows-1252"><p>gr\xfcn</p>', 'latin1')],
  [
    'what it is really called',
    'text/html; charset=latin1',
    Buffer.from('<p>gr\xfcn \x93\x80\x94</p>', 'latin1'),
    'grün “€”',
  ],
  ['its mark', 'text/html; charset=iso-8859-1', Buffer.from('\ufeff<p>grün</p>', 'utf16le')],
  ['UTF-8 otherwise', 'text/html; charset=nonsense', Buffer.from('<p>grün</p>')],
])('decodes a page by %s', async (_, type, body, text = 'grün') => {
  await using here = await html(body, { 'content-type': type });
  expect(await webFetch()(here.url)).toBe(text);
});

it.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('unpacks %s, and never more than 5 MiB of it', async (encoding, pack) => {
  await using small = await html(pack(Buffer.from('<p>x</p>')), { 'content-encoding': encoding });
  expect(await webFetch()(small.url)).toBe('x');
  await using bomb = await html(pack(Buffer.alloc(50_000_000)), { 'content-encoding': encoding });
  expect(await webFetch()(bomb.url)).toMatch(/larger than 5242880 bytes\. Download it with Bash/);
});

it('cuts a long page and stops at one without an end', async () => {
  await using long = await html('long '.repeat(100_000), { 'content-type': 'text/plain' });
  const shown = await webFetch()(long.url);
  expect(shown.length).toBeLessThan(101_000);
  expect(shown).toContain('characters left out');
  await using endless = await site((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more));
    more();
  });
  expect(await webFetch()(endless.url)).toMatch(/larger than/);
});

it('gives up after 30 s, and at once when it is cancelled', async () => {
  await using silent = await site(() => {});
  const clock = fakeClock();
  const fetching = webFetch({ clock })(silent.url);
  await clock.advance(30_000);
  expect(await fetching).toMatch(/did not answer within 30 s/);
  const abort = new AbortController();
  const cancelled = webFetch()(silent.url, abort.signal);
  abort.abort(new Error('stop'));
  expect(await cancelled).toBe('stop');
});

it('says what went wrong: a status, no text, no page at all', async () => {
  await using here = await site(({ url }, response) => {
    if (url === '/gone') response.writeHead(404).end();
    else if (url === '/pdf') response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF');
    else response.destroy();
  });
  const fetch = webFetch();
  expect(await fetch(`${here.url}/gone`)).toBe(`${here.url}/gone answered 404 Not Found`);
  expect(await fetch(`${here.url}/pdf`)).toMatch(/is application\/pdf, not a page of text\. Download it with Bash/);
  expect(await fetch(`${here.url}/`)).toMatch(/could not be fetched: socket hang up/);
  const unknown = webFetch({ resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })) });
  expect(await unknown('https://nowhere.example')).toMatch(/could not be fetched: there is no host nowhere\.example/);
});

it('reaches no private or loopback address unless a rule names its host', async () => {
  await using here = await html('<p>secret</p>');
  const named: string[] = [];
  const fetch = webFetch({
    isAllowedByName: (host) => {
      named.push(host);
      return false;
    },
    resolve: async (host) => (host === 'mixed.example' ? ['93.184.216.34', '10.0.0.1'] : ['127.0.0.1']),
  });
  const refused = /is not fetched unless the user has a rule that allows WebFetch\(domain:/;
  const hosts = [
    '127.0.0.1',
    'localhost',
    'localhost.',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
  ];
  for (const host of [...hosts, 'inside.example', 'mixed.example'])
    expect(await fetch(`http://${host}:${here.port}/`), host).toMatch(refused);
  expect(here.asked).toEqual([]);
  expect(named).toContain('inside.example');
});

it('connects to the very address that it has judged, whatever the name says a moment later', async () => {
  await using here = await html('<p>x</p>');
  const answers = [['127.0.0.1'], ['127.0.0.9']];
  let count = 0;
  const fetch = webFetch({ resolve: async () => answers[count++] ?? [] });
  expect(await fetch(`http://name.example:${here.port}/`)).toBe('x');
  expect(count).toBe(1);
  // The second hop is judged anew: within one host, a name may lead elsewhere.
  await using turning = await site((_, response) => response.writeHead(302, { location: '/next' }).end());
  let isFirst = true;
  const rebound = webFetch({
    isAllowedByName: () => isFirst,
    resolve: async () => {
      isFirst = count++ === 1;
      return ['127.0.0.1'];
    },
  });
  expect(await rebound(`http://name.example:${turning.port}/`)).toMatch(/is not fetched unless/);
  expect(turning.asked).toEqual(['/']);
});

it('goes on to the next address of a host where one does not answer', async () => {
  await using here = await html('<p>x</p>');
  const fetch = webFetch({ resolve: async () => ['127.0.0.9', '127.0.0.1'] });
  expect(await fetch(`http://name.example:${here.port}/`)).toBe('x');
});

it.each([
  [
    'elements that are never closed',
    `<table>${'<tr><td>a<td>b'.repeat(100_000)}`,
    /^\[This page is too large .* without links\.\]\na b\na b\n/,
  ],
  ['a depth without an end', `${'<div>'.repeat(400_000)}deep`, /^\[.*\]\ndeep$/],
  ['many paragraphs', '<p>a &lt; <b>b</b> <a href="/x">c</a></p>\n'.repeat(80_000), /^\[.*\]\na < b c\na < b c\n/],
  ['comments without an end', `<p>x${'<!--'.repeat(1_000_000)}`, /^x$/],
  ['scripts without an end', `<p>x${'<script>'.repeat(500_000)}`, /^x$/],
])('makes words of a page that would stop its parser: %s', async (_, page, words) => {
  await using here = await html(page);
  expect(await webFetch()(`${here.url}`)).toMatch(words);
});

it('makes words of a small page that takes its parser long, while everybody else goes on, and ends that when it is cancelled', async () => {
  await using here = await html('<a><b>&#x41;</a></b>'.repeat(12_000));
  const clock = fakeClock();
  const fetching = webFetch({ clock })(here.url);
  await clock.advance(10_000);
  expect(await fetching).toMatch(/^\[This page .*\]\n(A )+A$/);
  const abort = new AbortController();
  const cancelled = webFetch({ clock })(here.url, abort.signal);
  await eventually(() => expect(here.asked).toHaveLength(2));
  abort.abort(new Error('stop'));
  expect(await cancelled).toBe('stop');
});

it('leaves out whole what is not read, behind letters that are longer in lower case', async () => {
  await using here = await html(`<p>${'İ'.repeat(50)}</p><SCRIPT>evil()</SCRIPT><p>end</p>`);
  expect(await webFetch()(here.url)).toBe(`${'İ'.repeat(50)}\n\nend`);
});

it('goes over HTTPS, but to a private host that a rule names as it was asked to', () => {
  const to = (url: string, address: string) => destinationOf(new URL(url), [address], () => true).url.href;
  expect(to('http://example.com/a?b', '93.184.216.34')).toBe('https://example.com/a?b');
  expect(to('https://example.com/', '93.184.216.34')).toBe('https://example.com/');
  expect(to('http://wiki.corp:8080/', '10.0.0.1')).toBe('http://wiki.corp:8080/');
});

it('asks for permission by domain, and takes only whole addresses of the web', () => {
  const tool = createWebFetchTool({ clock: systemClock, isAllowedByName: () => false, askSmallModel: echo });
  const access = (url: string) => tool.prepare({ url, prompt: 'x' }, toolContext('/')).access;
  expect(access('https://Docs.Example.com./a')).toEqual({ kind: 'other', specifier: 'domain:docs.example.com' });
  expect(() => access('example.com')).toThrow(
    '"example.com" is not a whole URL. Give one like https://example.com/page.',
  );
  expect(() => access('file:///etc/passwd')).toThrow('is not of the web (file:)');
  expect(() => access('https://a:b@example.com')).toThrow('holds a password');
});

it('knows every kind of private address', () => {
  const addresses =
    '127.8.0.1 10.1.1.1 172.31.0.1 192.168.9.9 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255';
  const version6 =
    ':: ::1 ::ffff:10.0.0.1 ::7f00:1 64:ff9b::7f00:1 fd00::1 fe80::1%eth0 fec0::1 ff02::1 2002:7f00:1:: 2001:0:7f00:1:: 3fff::1 5f00::1';
  for (const address of [...addresses.split(' '), ...version6.split(' '), 'nonsense'])
    expect(isPrivateAddress(address), address).toBe(true);
  for (const address of [
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:2800:220:1::1',
    '2001:4860:4860::8888',
    '::ffff:93.184.216.34',
  ])
    expect(isPrivateAddress(address), address).toBe(false);
});
