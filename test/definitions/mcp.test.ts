import { expect, test } from 'vitest';
import { expandServer, missingServers, readServers, serverKey, toolListOf } from '../../src/definitions/mcp.js';

test('servers of every type are read; what is wrong in one is said with file and key, and leaves the others', () => {
  const { servers, problems } = readServers(
    {
      program: { command: 'node', args: ['a.js'], env: { A: '1' }, alwaysLoad: true, description: 'A program.' },
      address: { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
      stream: { type: 'sse', url: 'https://example.org/sse' },
      longName: { type: 'streamable-http', url: 'https://example.org/mcp' },
      socket: { type: 'ws', url: 'wss://example.org' },
      typo: { command: 'node', arguments: [] },
      number: { command: 'node', args: 'a.js' },
      empty: { command: '' },
      text: 'node a.js',
    },
    'project',
    '/p/.mcp.json',
  );
  expect(servers.map(({ name, config }) => `${name} ${config.type}`)).toEqual([
    'program stdio',
    'address http',
    'stream sse',
    'longName http',
  ]);
  const left = 'The server is left out.';
  expect(problems).toEqual([
    `/p/.mcp.json: "mcpServers.socket.type" must be stdio, http or sse. ${left}`,
    `/p/.mcp.json: "mcpServers.typo.arguments" is no key of a server of type stdio. ${left}`,
    `/p/.mcp.json: "mcpServers.number.args" must be a list. ${left}`,
    `/p/.mcp.json: "mcpServers.empty.command" must not be empty. ${left}`,
    `/p/.mcp.json: "mcpServers.text" must be an object. ${left}`,
  ]);
});

test('variables are filled in everywhere that has a meaning for the server; a default counts where one is not set or empty', () => {
  const variables = { BIN: 'node', TOKEN: 't', EMPTY: '' };
  expect(
    expandServer(
      {
        type: 'stdio',
        command: '${BIN}',
        args: ['${PORT:-80}', '${EMPTY:-x}', '$BIN', '${EMPTY}'],
        env: { A: 'Bearer ${TOKEN}' },
      },
      variables,
    ),
  ).toEqual({
    config: { type: 'stdio', command: 'node', args: ['80', 'x', '$BIN', ''], env: { A: 'Bearer t' } },
  });
  expect(expandServer({ type: 'http', url: 'https://${HOST:-h}/', headers: { A: '${TOKEN}' } }, variables)).toEqual({
    config: { type: 'http', url: 'https://h/', headers: { A: 't' } },
  });
  expect(expandServer({ type: 'http', url: '${NO}', headers: { A: '${NEITHER} ${NO}' } }, variables)).toEqual({
    missing: ['NO', 'NEITHER'],
  });
});

test('a value that is filled in is not looked through again', () => {
  expect(expandServer({ type: 'http', url: '${A}' }, { A: '${B}', B: 'x' })).toEqual({
    config: { type: 'http', url: '${B}' },
  });
});

test('a list of tools has those of the servers that its definition names, unless it speaks of them itself', () => {
  const mcpServers = ['git hub', { own: {} }];
  expect(toolListOf({ mcpServers })).toBeUndefined();
  expect(toolListOf({ tools: ['Read'], mcpServers })).toEqual(['Read', 'mcp__git_hub', 'mcp__own']);
  expect(toolListOf({ tools: ['mcp__own__a'], mcpServers })).toEqual(['mcp__own__a', 'mcp__git_hub']);
});

test('a server that is needed may be named by a part of its name, in any case', () => {
  expect(missingServers(['GitHub', 'slack'], ['my-github-server', 'other'])).toEqual(['slack']);
  expect(missingServers(undefined, [])).toEqual([]);
});

test('a server’s part of a tool’s name cannot end early', () => {
  expect(serverKey('my.server__x y')).toBe('my_server_x_y');
});
