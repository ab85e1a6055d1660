import { join } from 'node:path';
import { expect, test } from 'vitest';
import { teamServers } from '../../src/app/mcp/teamServers.js';
import { homeAt } from '../../src/config/paths.js';
import { loadSettings } from '../../src/config/settings.js';
import { writtenSecrets } from '../../src/definitions/mcpSecrets.js';
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
