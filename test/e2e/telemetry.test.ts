import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate, runJson } from '../helpers/headless.js';
import { type Stage, stage } from '../helpers/program.js';

const CANARY = 'canary';
const bash = (command: string) => `{ tool: Bash, input: { command: ${JSON.stringify(command)} } }`;
const SCRIPT = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - text: I begin, says canary-answer.
        - ${bash('cat canary-file.txt')}
        - { tool: canary-tool, input: {} }
        - { tool: Agent, input: { description: canary-description, prompt: canary-task, subagent_type: canary-agent } }
        - { tool: Agent, input: { description: canary-description, prompt: canary-task, subagent_type: Explore } }
        - { tool: SendMessage, input: { to: canary-bob, message: canary-mail, summary: canary-summary } }
    - reply: canary-end
  'team-lead/*':
    - when: { system: 'is to be blocked' }
      reply: '{"block": true, "reason": "canary-reason"}'
    - when: { system: 'hands its work back' }
      reply: '{"block": false, "reason": "canary-reason"}'
    - when: { turn: 1 }
      reply: [${bash('node -e "0" canary-input')}]
    - reply: canary-report
  canary-bob:
    - reply: canary-idle
`;

interface Line {
  readonly event: string;
  readonly kind?: string;
  readonly spanId: string;
  readonly traceId: string;
  readonly parentId?: string;
  readonly attributes?: Record<string, unknown>;
  readonly about?: { readonly name: string } & Record<string, unknown>;
}

/** A team in which everything that a person, a project or a model can name or say holds the canary. */
async function played(team: Stage, env: Record<string, string> = {}) {
  const cwd = join(team.folder, 'canary-project');
  await mkdir(join(cwd, '.claude/agents'), { recursive: true });
  await writeFile(join(cwd, 'canary-file.txt'), 'canary-content');
  await writeFile(
    join(cwd, '.claude/agents/canary-agent.md'),
    '---\nname: canary-agent\ndescription: canary-use\nmemory: local\n---\nYou are canary-prompt.\n',
  );
  await mkdir(join(cwd, '.claude/agent-memory-local/canary-agent'), { recursive: true });
  await writeFile(join(cwd, '.claude/agent-memory-local/canary-agent/MEMORY.md'), 'canary-memory');
  const mcp = join(team.folder, 'canary-mcp.json');
  await writeFile(mcp, JSON.stringify({ mcpServers: { 'canary-server': { command: 'canary-command' } } }));
  await addTemplate(
    team,
    'canary',
    '---\nname: canary\ndescription: x\nmembers: [{ name: canary-bob, prompt: canary-wait }]\n---\ncanary-go\n',
  );
  const args = [
    'run',
    'canary',
    'canary-words',
    '--output-format',
    'json',
    '--permission-mode',
    'auto',
    '--mcp-config',
    mcp,
  ];
  const ended = await team.troupe([...args, '--trust', '--name', 'canary-team'], {
    cwd,
    env: { ...team.env, CANARY_TOKEN: 'canary-secret', ...env },
    timeout: 100_000,
  });
  expect(ended.exitCode, ended.stderr + ended.stdout).toBe(0);
}

async function linesOf(team: Stage): Promise<{ text: string; lines: Line[] }> {
  const folder = join(team.home, 'telemetry');
  const files = await readdir(folder);
  expect(files.every((file) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(file))).toBe(true);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const text = texts.join('');
  return {
    text,
    lines: text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line),
  };
}

test('without the setting nothing is kept and nobody is told', async () => {
  await using team = await stage(SCRIPT);
  await using collector = await collect();
  await played(team, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  expect(existsSync(join(team.home, 'telemetry'))).toBe(false);
  expect(collector.bodies).toEqual([]);
});

test('with it every kind of event is kept, spans nest as agents do, and no word of anybody is in any of them', async () => {
  await using team = await stage(SCRIPT);
  await using collector = await collect();
  await mkdir(team.home, { mode: 0o700 });
  await writeFile(join(team.home, 'settings.json'), '{"telemetry": true}');
  await played(team, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });

  const { text, lines } = await linesOf(team);
  const happenings = lines.flatMap(({ about }) => (about ? [about] : []));
  expect(new Set(happenings.map(({ name }) => name))).toEqual(
    new Set([
      'agent_selected',
      'agent_completed',
      'auto_mode_decision',
      'message_sent',
      'permission_decided',
      'memory_loaded',
    ]),
  );
  expect(happenings).toContainEqual({
    name: 'agent_selected',
    type: 'Explore',
    model: 'claude-haiku-5-5',
    source: 'built-in',
    builtIn: true,
    resume: false,
    async: false,
    fork: false,
  });
  expect(happenings).toContainEqual(
    expect.objectContaining({ name: 'agent_selected', type: 'custom', source: 'project', builtIn: false }),
  );
  expect(happenings).toContainEqual(
    expect.objectContaining({
      name: 'agent_completed',
      type: 'Explore',
      status: 'completed',
      toolUses: 1,
      responseCharacters: 'canary-report'.length,
    }),
  );
  expect(happenings).toContainEqual({ name: 'message_sent', broadcast: false, characters: 'canary-mail'.length });

  const spans = lines.filter(({ event }) => event === 'span');
  const chainOf = (line: Line): string[] => {
    const parent = spans.find(({ spanId }) => spanId === line.parentId);
    return [...(parent ? chainOf(parent) : []), line.kind ?? ''];
  };
  const chains = new Set(spans.map((span) => chainOf(span).join(' ')));
  for (const chain of ['team', 'team member turn tool', 'team member sub-agent turn tool'])
    expect(chains).toContain(chain);
  expect(new Set(lines.map(({ traceId }) => traceId)).size).toBe(1);

  const sent = collector.bodies.join('');
  expect(sent).toContain('sub-agent');
  expect(sent).toContain('agent_completed');
  for (const told of [text, sent]) {
    expect(told.toLowerCase()).not.toContain(CANARY);
    expect(told).not.toContain(team.folder);
    expect(told).not.toContain('test-key');
  }
});

test('a collector that is not there keeps nobody from ending', async () => {
  await using team = await stage('agents: { team-lead: [{ reply: Done. }] }');
  await mkdir(team.home, { mode: 0o700 });
  await writeFile(join(team.home, 'settings.json'), '{"telemetry": true}');
  team.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:9';
  expect((await runJson(team, 'Do it.')).exitCode).toBe(0);
  expect((await linesOf(team)).lines.length).toBeGreaterThan(3);
});

/** An OTLP collector on this machine: keeps what it is sent. */
async function collect() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
