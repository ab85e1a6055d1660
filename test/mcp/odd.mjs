// An MCP server that can be told to misbehave: node odd.mjs [word=value …]
//   start=MS       answers the handshake only then; start=never: not at all
//   tools=N        has that many tools, tool_1 …
//   die=TOOL       ends when that tool is called
//   hang=TOOL      never answers that tool; writes "asked" to stderr when it is called, "cancelled" when it is cancelled
//   stubborn       goes on when its stdin is closed and when it is sent SIGTERM
//   grow           has one more tool after each call, and says so
//   big=N          has a tool "big" whose result has N characters
//   resources=N    has that many resources, and templates only with templates; resources=none: refuses to list any
//   chatty         prints lines to stdout that are no messages
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const options = Object.fromEntries(process.argv.slice(2).map((word) => word.split('=')));
const has = (name) => name in options;
if (has('stubborn')) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}
if (has('pidfile')) appendFileSync(options.pidfile, `${process.pid}\n`);
if (has('exit')) {
  process.stderr.write('the disk is full\n');
  process.exit(Number(options.exit));
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const echo = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};
const odd = [
  { name: 'no type', inputSchema: { properties: { a: { items: [{ type: 'string' }], type: 'array' } } } },
  { name: 'no_type', inputSchema: {} },
  { name: 'refused', inputSchema: { type: 'object', properties: { 'a b': {} } } },
  { name: `long_${'x'.repeat(80)}`, inputSchema: { type: 'object', anyOf: [{ required: ['a'] }] } },
  { name: 'looks', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
];
let grown = 0;
const tools = () => [
  echo,
  ...(has('odd') ? odd : []),
  ...['die', 'hang'].flatMap((word) => (has(word) ? [{ name: options[word], inputSchema: { type: 'object' } }] : [])),
  ...Array.from({ length: Number(options.tools ?? 0) }, (_, index) => ({
    name: `tool_${index + 1}`,
    description: `Counts the sheep of meadow ${index + 1}.`,
    inputSchema: { type: 'object', properties: {} },
  })),
  ...Array.from({ length: grown }, (_, index) => ({ name: `grown_${index + 1}`, inputSchema: { type: 'object' } })),
];

const resources = () =>
  Array.from({ length: Number(options.resources) }, (_, index) => ({
    uri: `odd://${index + 1}`,
    name: `r${index + 1}`,
    description: 'One\nof many.',
  }));

function answer({ id, method, params }) {
  switch (method) {
    case 'initialize': {
      if (options.start === 'never') return;
      const result = {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true }, ...(has('resources') && { resources: {} }) },
        serverInfo: { name: 'odd', version: '1' },
      };
      setTimeout(() => send({ id, result }), Number(options.start ?? 0));
      return;
    }
    case 'tools/list':
      if (has('chatty')) process.stdout.write('Listening …\n');
      send({ id, result: { tools: tools() } });
      return;
    case 'tools/call': {
      const { name, arguments: input = {} } = params;
      if (name === options.die) {
        process.stderr.write('I cannot go on\n');
        process.exit(3);
      }
      if (name === options.hang) return void process.stderr.write('asked\n');
      if (name === 'big') return send({ id, result: { content: [{ type: 'text', text: 'x'.repeat(options.big) }] } });
      const text = name === 'echo' ? `${input.text}` : `${name} was called`;
      send({ id, result: { content: [{ type: 'text', text: has('env') ? String(process.env[options.env]) : text }] } });
      if (has('grow')) {
        grown++;
        send({ method: 'notifications/tools/list_changed' });
      }
      return;
    }
    case 'resources/list':
      if (options.resources === 'none') return send({ id, error: { code: -32603, message: 'out of order' } });
      return send({ id, result: { resources: resources() } });
    case 'resources/templates/list':
      if (!has('templates')) return send({ id, error: { code: -32601, message: 'what is that?' } });
      return send({ id, result: { resourceTemplates: [{ uriTemplate: 'odd://{name}', name: 'any' }] } });
    case 'resources/read':
      return send({ id, result: { contents: [] } });
    case 'notifications/cancelled':
      process.stderr.write('cancelled\n');
      return;
    default:
      if (id !== undefined) send({ id, result: {} });
  }
}

createInterface({ input: process.stdin }).on('line', (line) => answer(JSON.parse(line)));
