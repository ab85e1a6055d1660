import { readFile, writeFile } from 'node:fs/promises';
import { createServer as createWebServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/children.js';
import { start } from '../../src/host/run.js';
import { openServerLog } from '../../src/mcp/serverLog.js';
import { ToolError } from '../../src/util/errors.js';
import { eventually } from '../helpers/eventually.js';
import { oddServer, realServer } from '../helpers/mcp.js';
import { tempDir } from '../helpers/tempDir.js';
import { isRunning } from '../helpers/tmuxTeam.js';
import { mcpBench } from './bench.js';

const signal = new AbortController().signal;

test('real servers list their tools and answer calls, side by side', async () => {
  await using bench = await mcpBench();
  await writeFile(join(bench.path, 'a.txt'), 'what is in it');
  const everything = bench.open(realServer('everything'));
  const files = bench.open(realServer('filesystem', bench.path));
  await Promise.all([everything.settled, files.settled]);
  expect([everything.state(), files.state()]).toEqual(['connected', 'connected']);
  expect(everything.tools().map(({ name }) => name)).toContain('get-sum');
  const sum = await everything.call('get-sum', { a: 2, b: 3 }, signal);
  expect(JSON.stringify(sum.content)).toContain('5');
  const read = await files.call('read_text_file', { path: join(bench.path, 'a.txt') }, signal);
  expect(JSON.stringify(read.content)).toContain('what is in it');
  const [first] = await everything.resources(signal);
  const [contents] = await everything.read(first?.uri ?? '', signal);
  expect(contents?.uri).toBe(first?.uri);
  expect(bench.problems).toEqual([]);
});

test.each(['http', 'sse'] as const)('a server at an address is reached over %s', async (type) => {
  await using bench = await mcpBench();
  const port = await freePort();
  const { command, args } = realServer('everything', type === 'http' ? 'streamableHttp' : 'sse');
  const program = await start(command, args, {
    env: { PATH: process.env['PATH'] ?? '', PORT: `${port}` },
    output: 'ignore',
  });
  try {
    const url = `http://127.0.0.1:${port}/${type === 'http' ? 'mcp' : 'sse'}`;
    await eventually(() => fetch(url, { method: 'OPTIONS' }));
    const server = bench.open({ type, url });
    await server.settled;
    expect(JSON.stringify((await server.call('echo', { message: 'over the wire' }, signal)).content)).toContain(
      'over the wire',
    );
    process.kill(-program.pid, 'SIGKILL');
    await program.exited;
    await expect(server.call('echo', { message: 'x' }, signal)).rejects.toThrow('The MCP server "odd"');
    await eventually(() => expect(server.state()).toBe('failed'));
  } finally {
    await end(program.pid);
  }
});

test('a server that cannot be started, ends at once or does not answer is failed, with its last words, and nothing of it is left', async () => {
  await using bench = await mcpBench();
  const none = bench.open({ command: join(bench.path, 'nothing') });
  const ends = bench.open(oddServer('exit=7'));
  const silent = bench.open(oddServer('start=never', `pidfile=${bench.pidFile}`), { timeoutMs: 1000 });
  await Promise.all([none, ends, silent].map(({ settled }) => settled));
  expect(none.problem()).toMatch(/ENOENT/);
  expect(ends.problem()).toMatch(
    /^it ended at once \(exit code 7\)\. Its last lines \(all in .*odd2\.log\):\nthe disk is full$/,
  );
  expect(silent.problem()).toMatch(/^it does not answer in time/);
  expect(bench.problems).toHaveLength(3);
  await expect(ends.call('echo', {}, signal)).rejects.toThrow(
    /^The MCP server "odd2" is not connected: it ended at once/,
  );
  const [pid = 0] = await bench.pids();
  expect(await isRunning(pid)).toBe(false);
  expect(await markedProcesses(bench.mark)).toEqual([]);
});

test('an address that refuses is told with its status, and no secret that it sends back gets into an error or a log', async () => {
  await using bench = await mcpBench();
  const refusing = createWebServer((request, response) => {
    response.writeHead(Number(request.url?.slice(1, 4))).end(JSON.stringify(request.headers));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => refusing.once('listening', resolve));
  const address = refusing.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    const open = (status: number) =>
      bench.open({
        type: 'http',
        url: `http://127.0.0.1:${port}/${status}`,
        headers: { 'X-Api-Key': 'open-sesame-1', Authorization: 'Bearer open-sesame-2' },
      });
    const servers = [401, 404].map(open);
    await Promise.all(servers.map(({ settled }) => settled));
    expect(servers.map((server) => server.problem())).toEqual([
      expect.stringMatching(/^it answers with 401: what its "headers" say does not let you in \(.*\[secret\]/),
      expect.stringMatching(/^it answers with 404: .*\[secret\]/),
    ]);
    const logs = await Promise.all(['odd', 'odd2'].map(bench.log));
    expect(logs.join()).toContain('[secret]');
    expect([...bench.problems, ...logs].join()).not.toContain('open-sesame');
  } finally {
    refusing.closeAllConnections();
    refusing.close();
  }
});

test('a headersHelper prints headers for each connection, over those that are written; one that breaks says how, not what it printed', async () => {
  await using bench = await mcpBench();
  const seen: NodeJS.Dict<string | string[]>[] = [];
  const web = createWebServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(404).end(request.headers['x-api-key']);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => web.once('listening', resolve));
  const address = web.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp`;
  try {
    const open = async (headersHelper: string) => {
      const server = bench.open({ type: 'http', url, headers: { 'x-api-key': 'written', kept: 'yes' }, headersHelper });
      await server.settled;
      return server.problem() ?? '';
    };
    const good = `printf '{"x-api-key": "sesame-%s"}' "$CLAUDE_CODE_MCP_SERVER_NAME"; echo "$CLAUDE_CODE_MCP_SERVER_URL" > url`;
    expect(await open(good)).toMatch(/^it answers with 404: .*\[secret\]/);
    expect(seen).toMatchObject([{ 'x-api-key': 'sesame-odd', kept: 'yes' }]);
    expect(await readFile(join(bench.path, 'url'), 'utf8')).toBe(`${url}\n`);
    expect(await open('echo no token >&2; exit 3')).toMatch(/^its headersHelper ended with 3: no token/);
    for (const printed of ['sesame', '[1]', '{"a": 1}'])
      expect(await open(`echo '${printed}'`)).toMatch(/^its headersHelper must print one JSON object of texts/);
    expect(seen).toHaveLength(1);
  } finally {
    web.closeAllConnections();
    web.close();
  }
});

test('a server that sends more at once than can be read is ended for that, and it is said', async () => {
  await using bench = await mcpBench();
  const server = bench.open(oddServer('big=12000000'));
  await server.settled;
  await expect(server.call('big', {}, signal)).rejects.toThrow(
    'died during the call (ended, for it sent more than 10 MB in one message)',
  );
});

test('a server that dies is connected once more; after its second death its calls say that it is gone', async () => {
  await using bench = await mcpBench();
  const server = bench.open(oddServer('die=leave', `pidfile=${bench.pidFile}`));
  await server.settled;
  await expect(server.call('leave', {}, signal)).rejects.toThrow(
    'The MCP server "odd" died during the call (exit code 3). It is connected anew: call again if the call may be made twice.',
  );
  expect(await server.call('echo', { text: 'back' }, signal)).toMatchObject({
    content: [{ type: 'text', text: 'back' }],
  });
  await expect(server.call('leave', {}, signal)).rejects.toThrow(
    /^The MCP server "odd" is gone: it died again \(exit code 3\)/,
  );
  await expect(server.call('echo', {}, signal)).rejects.toThrow(/^The MCP server "odd" is gone/);
  expect(server.state()).toBe('failed');
  expect(await bench.pids()).toHaveLength(2);
  expect(bench.problems).toEqual([
    'The MCP server "odd" died (exit code 3) and is connected anew.',
    expect.stringMatching(/^The MCP server "odd" is gone: .*I cannot go on$/s),
  ]);
});

test('a server that was killed while nobody called it is back for the next call', async () => {
  await using bench = await mcpBench();
  const server = bench.open(oddServer(`pidfile=${bench.pidFile}`));
  await server.settled;
  const [pid = 0] = await bench.pids();
  process.kill(pid, 'SIGKILL');
  await eventually(() =>
    expect(bench.problems).toEqual(['The MCP server "odd" died (SIGKILL) and is connected anew.']),
  );
  expect(await server.call('echo', { text: 'back' }, signal)).toMatchObject({ content: [{ text: 'back' }] });
});

test('a call that is cancelled is cancelled at the server too; one that takes too long names the server', async () => {
  await using bench = await mcpBench();
  const server = bench.open(oddServer('hang=wait'), { callTimeoutMs: 300 });
  await server.settled;
  await expect(server.call('wait', {}, signal)).rejects.toThrow('The MCP server "odd": it does not answer in time');
  const other = bench.open(oddServer('hang=wait'), { callTimeoutMs: 600_000 });
  await other.settled;
  const stop = new AbortController();
  const call = other.call('wait', {}, stop.signal);
  await eventually(async () => expect(await bench.log('odd2')).toContain('asked'));
  stop.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
  await eventually(async () => expect(await bench.log('odd2')).toContain('cancelled'));
});

test('closing ends a program that neither heeds its stdin nor SIGTERM, with all it has started', async () => {
  await using bench = await mcpBench();
  const script = `trap "" TERM; sleep 1000 & trap - TERM; exec "$0" "$@"`;
  const { command, args } = oddServer('stubborn', `pidfile=${bench.pidFile}`);
  const server = bench.open({ command: '/bin/sh', args: ['-c', script, command, ...args] });
  await server.settled;
  expect(await markedProcesses(bench.mark)).toHaveLength(2);
  await server.close();
  expect(await markedProcesses(bench.mark)).toEqual([]);
});

test('closing while it still connects leaves nothing either', async () => {
  await using bench = await mcpBench();
  const server = bench.open(oddServer('start=never', `pidfile=${bench.pidFile}`));
  await eventually(async () => expect(await bench.pids()).toHaveLength(1));
  await server.close();
  expect(await markedProcesses(bench.mark)).toEqual([]);
  expect(bench.problems).toEqual([]);
});

test('tools that come later are listed when the server says so; lines that are no messages are passed over', async () => {
  await using bench = await mcpBench();
  const server = bench.open(oddServer('grow', 'chatty'));
  await server.settled;
  expect(server.tools().map(({ name }) => name)).toEqual(['echo']);
  await server.call('echo', { text: 'x' }, signal);
  await eventually(() => expect(server.tools().map(({ name }) => name)).toEqual(['echo', 'grown_1']));
});

test('what a server itself says is wrong is told as it says it, for the model to mend', async () => {
  await using bench = await mcpBench();
  const server = bench.open(realServer('everything'));
  await server.settled;
  const missing = server.read('demo://nowhere', signal);
  await expect(missing).rejects.toThrow(ToolError);
  await expect(missing).rejects.toThrow(/^The MCP server "odd": .*demo:\/\/nowhere/);
});

test('a log is bounded: when it is full its end is kept', async () => {
  await using dir = await tempDir();
  const log = openServerLog(join(dir.path, 'mcp', 'loud.log'));
  for (let line = 0; line < 40; line++) log.add(`${line} ${'x'.repeat(100_000)}\n`);
  log.add('the last words\n');
  await log.written();
  const text = await readFile(log.path, 'utf8');
  expect(text.length).toBeLessThan(1_200_000);
  expect(text.endsWith('the last words\n')).toBe(true);
  expect(log.lastLines().endsWith('the last words')).toBe(true);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function end(pid: number): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
