import { join } from 'node:path';
import { expect, test } from 'vitest';
import { teamServers } from '../../src/app/mcp/teamServers.js';
import { homeAt } from '../../src/config/paths.js';
import { loadSettings } from '../../src/config/settings.js';
import { secretMask, writtenSecrets } from '../../src/definitions/mcpSecrets.js';
import { SETTINGS } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';

test('a secret that is written out in a server is found, one that a variable stands for is not', () => {
  const servers = {
    github: {
      command: 'gh-mcp',
      args: ['--token', 'ghp_0123456789'],
      env: { GITHUB_TOKEN: 'abc', LANG: 'C', API_KEY: '' },
    },
    remote: {
      url: 'https://user:word@example.org/mcp',
      headers: { Authorization: 'Bearer abcdef', 'X-Api-Key': '${KEY}', Cookie: 'id=${ID}', Accept: 'text/plain' },
    },
    clean: {
      url: 'https://example.org/${TENANT}',
      headers: { Authorization: 'Bearer ${TOKEN}' },
      env: { TOKEN: '${T:-}' },
    },
    odd: 7,
  };
  expect(writtenSecrets(servers)).toEqual([
    'github.args.1',
    'github.env.GITHUB_TOKEN',
    'remote.url',
    'remote.headers.Authorization',
  ]);
});

test('secrets of a server are taken out of a text, and nothing else is', () => {
  const remote = secretMask({
    type: 'http',
    url: 'https://user:password@example.org/mcp?api_key=in%20the%20url&page=second',
    headers: { Authorization: 'Bearer abcdefgh', 'X-Api-Key': 'abcdefghij', Accept: 'text/plain', Cookie: 'x' },
  });
  expect(remote('{"authorization":"Bearer abcdefgh","x-api-key":"abcdefghij"} text/plain x second')).toBe(
    '{"authorization":"[secret]","x-api-key":"[secret]"} text/plain x second',
  );
  expect(remote('abcdefgh at user:password: in the url, in%20the%20url')).toBe(
    '[secret] at user:[secret]: [secret], [secret]',
  );
  const program = secretMask({ type: 'stdio', command: 'x', env: { DB_PASSWORD: 'open sesame', LANG: 'C.UTF-8' } });
  expect(program('cannot log in with open sesame (C.UTF-8)')).toBe('cannot log in with [secret] (C.UTF-8)');
});

test('a person is told of it before a team starts', async () => {
  await using dir = await tempDir();
  const home = homeAt(join(dir.path, 'home'));
  const loaded = await loadSettings({ cwd: dir.path, userHome: dir.path, home, trusted: false, managed: dir.path });
  const problems = async (GITHUB_TOKEN: string) => {
    const settings = { ...SETTINGS, mcpServers: { github: { command: 'gh-mcp', env: { GITHUB_TOKEN } } } };
    return (await teamServers({ home }, loaded, { cwd: dir.path, settings, environment: { T: 'x' } })).problems;
  };
  expect(await problems('${T}')).toEqual([]);
  expect(await problems('abc')).toEqual([
    expect.stringMatching(/^mcpServers\.github\.env\.GITHUB_TOKEN .* config\.json.*Write \$\{VAR\} in its place/),
  ]);
});
