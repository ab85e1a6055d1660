import { expect, test } from 'vitest';
import { matchesUrl } from '../../src/util/urlPattern.js';

test.each([
  ['*', 'ftp://anywhere/x'],
  ['https://hooks.example.com/*', 'https://hooks.example.com/a/b?c'],
  ['https://hooks.example.com/*', 'https://HOOKS.example.com:443/a'],
  ['https://hooks.example.com:443/a', 'https://hooks.example.com/a'],
  ['https://hooks.example.com', 'https://hooks.example.com'],
  ['https://*.example.com/*', 'https://a.b.example.com/x'],
  ['http://localhost:*', 'http://localhost:8080/any/path'],
  ['*://localhost/*', 'https://localhost/x'],
  ['https://x.test/a.b', 'https://user:secret@x.test/a.b'],
])('%s means %s', (pattern, address) => expect(matchesUrl(pattern, address)).toBe(true));

test.each([
  ['https://hooks.example.com/*', 'http://hooks.example.com/a'],
  ['https://hooks.example.com', 'https://hooks.example.com/a'],
  ['https://*.example.com/*', 'https://evil.test/.example.com/'],
  ['https://*.example.com/*', 'https://evil.test?.example.com/'],
  ['https://*.example.com/*', 'https://x.example.com@evil.test/'],
  ['https://*.example.com/*', 'https://example.com/x'],
  ['http://localhost:*', 'http://localhost.evil.test:80/'],
  ['https://x.test/a.b', 'https://x.test/aXb'],
  ['https://x.test/*', 'no address'],
  ['x.test', 'https://x.test/'],
])('%s does not mean %s', (pattern, address) => expect(matchesUrl(pattern, address)).toBe(false));
