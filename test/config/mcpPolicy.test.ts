import { expect, test } from 'vitest';
import { bothPolicies, mcpPolicyOf, policyRefusal } from '../../src/config/mcpPolicy.js';
import { Settings } from '../../src/config/settings.js';
import type { ServerConfig } from '../../src/definitions/mcp.js';

const from = (settings: object, source = 'user') => ({ source, settings: Settings.parse(settings) });
const program = (...[command = '', ...args]: string[]): ServerConfig => ({ type: 'stdio', command, args });
const remote = (url: string): ServerConfig => ({ type: 'http', url });
const named = (name: string, config = program('x')) => ({ name, source: 'user' as const, file: 'f', config });
const mayBe = (server: ReturnType<typeof named>, ...sources: ReturnType<typeof from>[]) =>
  policyRefusal(server, mcpPolicyOf(sources)) === undefined;

test('without a list any server may be; with one only those that it names, with an empty one none', () => {
  expect(mayBe(named('a'))).toBe(true);
  const list = from({ allowedMcpServers: [{ serverName: 'a' }] });
  expect([mayBe(named('a'), list), mayBe(named('b'), list)]).toEqual([true, false]);
  expect(mayBe(named('a'), from({ allowedMcpServers: [] }))).toBe(false);
});

test('a denial wins over any permission, by name however it is written, by the very command, or by address', () => {
  const allow = from({ allowedMcpServers: [{ serverName: 'a' }] }, 'managed');
  expect(mayBe(named('a'), allow, from({ deniedMcpServers: [{ serverName: 'a' }] }))).toBe(false);
  const denied = from({
    deniedMcpServers: [
      { serverName: 'plugin:x:db' },
      { serverCommand: ['npx', '-y', 'bad'] },
      { serverUrl: 'https://*.bad.test/*' },
    ],
  });
  expect(mayBe(named('plugin_x_db'), denied)).toBe(false);
  expect(mayBe(named('good', program('npx', '-y', 'bad')), denied)).toBe(false);
  expect(mayBe(named('good', program('npx', 'bad')), denied)).toBe(true);
  expect(mayBe(named('good', remote('https://a.bad.test/mcp')), denied)).toBe(false);
  expect(mayBe(named('good', remote('https://good.test/')), denied)).toBe(true);
});

test('where commands or addresses are listed, a name alone lets none of that kind in', () => {
  const list = from({
    allowedMcpServers: [{ serverName: 'a' }, { serverCommand: ['node', 's.js'] }, { serverUrl: 'https://ok.test/*' }],
  });
  expect(mayBe(named('a', program('sh', '-c', 'evil')), list)).toBe(false);
  expect(mayBe(named('any', program('node', 's.js')), list)).toBe(true);
  expect(mayBe(named('a', remote('https://evil.test/')), list)).toBe(false);
  expect(mayBe(named('any', remote('https://ok.test/mcp')), list)).toBe(true);
  const commands = from({ allowedMcpServers: [{ serverName: 'a' }, { serverCommand: ['node'] }] });
  expect(mayBe(named('a', remote('https://any.test/')), commands)).toBe(true);
});

test('lists of all levels are one, unless a manager says that only its own allows', () => {
  const user = from({ allowedMcpServers: [{ serverName: 'mine' }] });
  const managed = (more: object) => from({ allowedMcpServers: [{ serverName: 'ours' }], ...more }, 'managed');
  const both = (more: object) => [mayBe(named('mine'), managed(more), user), mayBe(named('ours'), managed(more), user)];
  expect(both({})).toEqual([true, true]);
  expect(both({ allowManagedMcpServersOnly: true })).toEqual([false, true]);
  expect(mayBe(named('mine'), from({ allowManagedMcpServersOnly: true }, 'managed'), user)).toBe(false);
  expect(mayBe(named('mine'), from({ allowManagedMcpServersOnly: true }, 'project'), user)).toBe(true);
});

test('the command line’s lists hold beside those of the files', () => {
  const flag = mcpPolicyOf([from({ deniedMcpServers: [{ serverName: 'a' }] }, 'flag')]);
  expect(policyRefusal(named('a'), bothPolicies(mcpPolicyOf([]), flag))).toBe(
    'deniedMcpServers in the settings names it',
  );
  expect(bothPolicies(mcpPolicyOf([]), undefined)).toEqual({ denied: [] });
});

test.each([[[{ serverName: 'a', serverUrl: 'b' }]], [[{ name: 'a' }]], [[{ serverCommand: [] }]], ['a']])(
  'an entry that names none, or more than one thing, is a mistake in the file: %j',
  (deniedMcpServers) => expect(Settings.safeParse({ deniedMcpServers }).success).toBe(false),
);
