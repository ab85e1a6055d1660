import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HooksByEvent } from '../../src/definitions/hook.js';
import type { HttpLimits } from '../../src/hooks/http.js';
import type { CallServer } from '../../src/hooks/mcpTool.js';
import { createHookEngine, type HookCall } from '../../src/hooks/run.js';
import { endMarked, markedProcesses } from '../../src/host/children.js';
import { type Clock, systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { eventually } from '../helpers/eventually.js';
import { realClockUntil } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';
import { isRunning } from '../helpers/tmuxTeam.js';

/** An engine in a folder of its own. */
async function bench({
  http,
  callServer,
  clock = systemClock,
}: {
  readonly http?: HttpLimits;
  readonly callServer?: CallServer;
  readonly clock?: Clock;
} = {}) {
  const dir = await tempDir();
  const notes: string[] = [];
  const engine = createHookEngine({
    clock,
    newId: () => systemIds.hex(12),
    projectDir: '/project',
    environment: { PATH: process.env['PATH'] ?? '', TOKEN: 'secret', OTHER: 'hidden' },
    async keep(name, text) {
      const path = join(dir.path, name);
      await writeFile(path, text);
      return path;
    },
    note: (line) => notes.push(line),
    http: () => http ?? {},
    pluginData: async (root) => `/data${root}`,
    callServer,
  });
  const mark = { member: 'bob@red:1', home: dir.path };
  const call = (hooks: readonly object[], more: Partial<HookCall> & { pluginRoot?: string } = {}) => {
    const { pluginRoot, event = 'PreToolUse', ...rest } = more;
    const events = HooksByEvent.parse({ [event]: [{ hooks }] });
    return engine.answer({
      event,
      sources: [{ file: 'settings.json', events, ...(pluginRoot !== undefined && { pluginRoot }) }],
      input: { hook_event_name: event, tool_name: 'Bash' },
      cwd: dir.path,
      mark,
      ...rest,
    });
  };
  return {
    dir: dir.path,
    notes,
    engine,
    mark,
    call,
    text: (name: string) => readFile(join(dir.path, name), 'utf8'),
    async [Symbol.asyncDispose]() {
      await engine.close();
      await endMarked(mark, systemClock, 0);
      await dir[Symbol.asyncDispose]();
    },
  };
}

const command = (text: string, more: object = {}) => ({ type: 'command', command: text, ...more });

test('a command hook is told what happens on stdin, in the agent’s folder, with the project in its environment', async () => {
  await using hooks = await bench();
  await hooks.call([command('cat > told; pwd > where; echo "$CLAUDE_PROJECT_DIR $TROUPE_MEMBER" > env')]);
  expect(JSON.parse(await hooks.text('told'))).toEqual({ hook_event_name: 'PreToolUse', tool_name: 'Bash' });
  expect(await hooks.text('where')).toBe(`${hooks.dir}\n`);
  expect(await hooks.text('env')).toBe('/project bob@red:1\n');
  expect(hooks.notes).toEqual([]);
});

test('a hook that does not read what it is told is none the worse for it', async () => {
  await using hooks = await bench();
  const input = { text: 'x'.repeat(1_000_000) };
  expect(await hooks.call([command('echo no >&2; exit 2')], { input })).toMatchObject({ block: 'no' });
});

test('with args the command is started without a shell, and a plugin’s folder is put in', async () => {
  await using hooks = await bench();
  const args = [
    '-e',
    'console.error(process.argv.slice(1).join("|")); process.exit(2)',
    '$HOME',
    '${CLAUDE_PLUGIN_ROOT}/x',
    '${CLAUDE_PLUGIN_DATA}/y',
  ];
  const answer = await hooks.call([command(process.execPath, { args })], { pluginRoot: '/plugin' });
  expect(answer.block).toBe('$HOME|/plugin/x|/data/plugin/y');
  await hooks.call([command('echo "$CLAUDE_PLUGIN_ROOT $CLAUDE_PLUGIN_DATA" > root')], { pluginRoot: '/plugin' });
  expect(await hooks.text('root')).toBe('/plugin /data/plugin\n');
});

test('hooks of one occasion run side by side', async () => {
  await using hooks = await bench();
  const meets = (own: string, other: string) =>
    command(
      `touch ${own}; for i in $(seq 500); do [ -e ${other} ] && exit 0; sleep 0.02; done; echo alone >&2; exit 2`,
    );
  expect((await hooks.call([meets('a', 'b'), meets('b', 'a')])).block).toBeUndefined();
});

test.each([
  [command('/no/such/program'), 'ended with 127'],
  [command('/no/such/program', { args: [] }), 'broke: spawn /no/such/program ENOENT'],
  [command('echo "{oops}"'), 'printed JSON that says nothing'],
  [{ type: 'http', url: 'http://127.0.0.1:9/' }, 'broke: '],
])('a hook that breaks is one line for the person, and decides nothing: %j', async (hook, words) => {
  await using hooks = await bench();
  const answer = await hooks.call([hook]);
  expect(answer).toMatchObject({ block: undefined, permission: undefined, stop: undefined });
  expect(hooks.notes).toHaveLength(1);
  expect(hooks.notes[0]).toContain(words);
  expect(hooks.notes[0]).toContain('(settings.json)');
});

test('a hook that takes too long decides nothing, and is ended with all that it has started', async () => {
  const begun = async () => expect(await hooks.text('near')).not.toBe('');
  await using hooks = await bench({ clock: realClockUntil(500, begun) });
  const slow = 'setsid sleep 300 & echo $! > far; sleep 300 & echo $! > near; wait; exit 2';
  const answer = await hooks.call([command(slow, { timeout: 0.5 })]);
  expect(answer.block).toBeUndefined();
  expect(hooks.notes).toEqual([expect.stringContaining('took more than 0.5 s and was ended.')]);
  for (const name of ['far', 'near']) expect(await isRunning(Number(await hooks.text(name))), name).toBe(false);
  expect(await markedProcesses(hooks.mark)).toEqual([]);
});

test('whoever is no longer waited for is ended, without a line', async () => {
  await using hooks = await bench();
  const turn = new AbortController();
  const answering = hooks.call([command('touch begun; sleep 300; exit 2')], { signal: turn.signal });
  await eventually(() => expect(existsSync(join(hooks.dir, 'begun'))).toBe(true));
  turn.abort();
  expect((await answering).block).toBeUndefined();
  expect(hooks.notes).toEqual([]);
  expect(await markedProcesses(hooks.mark)).toEqual([]);
});

test('a hook has ended when its program has, even while a child of it still holds its output', async () => {
  await using hooks = await bench();
  const answer = await hooks.call([command('sleep 300 & echo "{\\"decision\\":\\"block\\",\\"reason\\":\\"x\\"}"')]);
  expect(answer.permission).toBe('deny');
});

test('an async hook is not waited for and decides nothing; it is ended with the session', async () => {
  await using hooks = await bench();
  const answer = await hooks.call([command('touch begun; sleep 300; exit 2', { async: true })]);
  expect(answer.block).toBeUndefined();
  await eventually(() => expect(existsSync(join(hooks.dir, 'begun'))).toBe(true));
  await hooks.engine.close();
  expect(await markedProcesses(hooks.mark)).toEqual([]);
});

test('a hook that is to be run once is run once', async () => {
  await using hooks = await bench();
  const once = command('echo x >> count', { once: true });
  await hooks.call([once]);
  await hooks.call([once]);
  expect(await hooks.text('count')).toBe('x\n');
});

test('long words for the model are cut, and the whole is in a file that is named', async () => {
  await using hooks = await bench();
  const { context = '' } = await hooks.call([command('head -c 20000 /dev/zero | tr "\\0" x')], {
    event: 'SessionStart',
  });
  expect(context).toMatch(/^x{2000}\n\[cut: 20000 characters; the whole text is in (.+)\]$/);
  const [, path = ''] = /is in (.+)\]$/.exec(context) ?? [];
  expect(await readFile(path, 'utf8')).toBe('x'.repeat(20_000));
});

async function server(status: number, body: string) {
  const seen: { headers: NodeJS.Dict<string | string[]>; method: string; body: string }[] = [];
  const http = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    seen.push({ headers: request.headers, method: request.method ?? '', body: text });
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  return {
    seen,
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/hook`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

test('an http hook is sent the same JSON, its headers name only the variables that they may, and its answer counts', async () => {
  await using hooks = await bench();
  await using web = await server(200, '{"decision": "block", "reason": "Not from here."}');
  const headers = { authorization: 'Bearer $TOKEN', 'x-other': '[${OTHER}]' };
  const answer = await hooks.call([{ type: 'http', url: web.url, headers, allowedEnvVars: ['TOKEN'] }]);
  expect(answer).toMatchObject({ permission: 'deny', permissionReason: 'Not from here.' });
  expect(web.seen).toMatchObject([
    {
      method: 'POST',
      headers: { authorization: 'Bearer secret', 'x-other': '[]', 'content-type': 'application/json' },
    },
  ]);
  expect(JSON.parse(web.seen[0]?.body ?? '')).toEqual({ hook_event_name: 'PreToolUse', tool_name: 'Bash' });
});

test.each([
  [500, '{"decision": "block"}', 1],
  [404, '', 1],
  [204, '', 0],
  [200, '', 0],
])('the answer %d %j of an http hook decides nothing, and is %d line(s)', async (status, body, lines) => {
  await using hooks = await bench();
  await using web = await server(status, body);
  expect((await hooks.call([{ type: 'http', url: web.url }])).permission).toBeUndefined();
  expect(hooks.notes).toHaveLength(lines);
});

test('a hook that is a tool of an MCP server is called with what happens in its input; its text counts, its errors do not', async () => {
  const calls: unknown[] = [];
  await using hooks = await bench({
    async callServer(server, tool, input) {
      calls.push([server, tool, input]);
      if (server === 'gone') throw new Error('the MCP server "gone" is not connected');
      return { text: '{"decision": "block", "reason": "Not so."}', isError: tool === 'fails' };
    },
  });
  const hook = (server: string, tool: string) => ({
    ...{ type: 'mcp_tool', server, tool },
    input: {
      file: '<${tool_input.file_path}>',
      all: ['${tool_input}', '${none.of.it}', 1],
      deep: { name: '${tool_name}' },
    },
  });
  const input = { tool_name: 'Write', tool_input: { file_path: '/a' } };
  expect(await hooks.call([hook('scan', 'look')], { input })).toMatchObject({
    permission: 'deny',
    permissionReason: 'Not so.',
  });
  expect(calls).toEqual([
    ['scan', 'look', { file: '</a>', all: ['{"file_path":"/a"}', '', 1], deep: { name: 'Write' } }],
  ]);
  expect(hooks.notes).toEqual([]);
  expect((await hooks.call([hook('scan', 'fails'), hook('gone', 'look')])).permission).toBeUndefined();
  expect(hooks.notes.sort()).toEqual([
    expect.stringContaining('hook gone look (settings.json) broke: the MCP server "gone" is not connected'),
    expect.stringContaining('hook scan fails (settings.json) ended with 1: '),
  ]);
});

test('where the settings list addresses and variables, an http hook asks no other and tells no other', async () => {
  await using web = await server(200, '{"decision": "block"}');
  const hook = {
    type: 'http',
    url: web.url,
    headers: { a: '[$TOKEN]', b: '[$OTHER]' },
    allowedEnvVars: ['TOKEN', 'OTHER'],
  };
  await using refused = await bench({ http: { urls: ['https://*'] } });
  expect((await refused.call([hook])).permission).toBeUndefined();
  expect(refused.notes).toEqual([
    expect.stringContaining('allowedHttpHookUrls in the settings does not name its address'),
  ]);
  expect(web.seen).toEqual([]);
  await using allowed = await bench({ http: { urls: ['http://127.0.0.1:*'], variables: ['OTHER'] } });
  expect((await allowed.call([hook])).permission).toBe('deny');
  expect(web.seen).toMatchObject([{ headers: { a: '[]', b: '[hidden]' } }]);
});

test('a hook with asyncRewake keeps nobody waiting, and the person is told why it would have blocked', async () => {
  await using b = await bench();
  const waits = 'until [ -e go ]; do sleep 0.02; done; echo Too late. >&2; exit 2';
  expect(await b.call([command(waits, { asyncRewake: true })])).toMatchObject({ block: undefined });
  await writeFile(join(b.dir, 'go'), '');
  await eventually(() => expect(b.notes).toEqual([expect.stringMatching(/^The PreToolUse hook .* says: Too late\.$/)]));
});
