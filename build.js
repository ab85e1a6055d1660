// Builds the shipped program into dist/: minified modules, a part of their own for whatever is loaded lazily. Twice:
// - main.js, the whole program;
// - everyday.cjs, the same program with those commands alone that scripts call often, in one CommonJS file with V8's
//   code for it beside it: that starts in less than half the time. bin/troupe.js chooses by dist/everyday.txt.
// Beside them: what `troupe --help` prints without loading either, and the licences of what is bundled.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));
const EVERYDAY = 'send status inbox tasks plans approve reject permissions allow deny ls logs'.split(' ');
// The shell's grammar, and what reads it: looked for beside the bundle.
const GRAMMAR = ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'];
const RARE = ['execa', 'proper-lockfile', 'string-width'];

/**
 * What libraries load at once and we never use, and what takes long to load: commander's child_process, for commands that
 * are programs of their own, and the Web Crypto that uuid looks for, where we hand it the randomness.
 */
const unused = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    const leaveOut = (filter, library) =>
      onResolve({ filter }, ({ path, importer }) =>
        importer.includes(`/${library}/`) ? { path, namespace: 'unused' } : undefined,
      );
    leaveOut(/^node:child_process$/, 'commander');
    leaveOut(/^\.\/native\.js$/, 'uuid');
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }));
  },
};

/** Leaves the other commands out of the table, and what an everyday command rarely needs in files beside it. */
const everydayOnly = {
  name: 'everyday-only',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/(commands\/)?\w+\.js$/ }, ({ kind, importer, path }) =>
      kind === 'dynamic-import' &&
      (path.startsWith('./commands/') || path === './runFailure.js' || importer.endsWith('/commands/index.ts')) &&
      !EVERYDAY.includes(basename(path, '.js'))
        ? { path: 'left-out', namespace: 'left-out' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export {}' }));
    onResolve({ filter: /^\w[\w-]*$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' && RARE.includes(path) ? { path: `./${path}.cjs`, external: true } : undefined,
    );
  },
};

/**
 * The SDK of MCP in a file of its own: it loads all of zod, which it would else make all parts share that load some of it.
 * What is imported from it anywhere is named here.
 */
const MCP_SDK = `
export { Client } from '@modelcontextprotocol/sdk/client/index.js';
export { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
export { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
export { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
export { ErrorCode, McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
`;
const mcpSdkBeside = {
  name: 'mcp-sdk-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^@modelcontextprotocol\/sdk\// }, () => ({ path: './mcp-sdk.js', external: true }));
  },
};

/** What writes schemas down for a model, likewise: only a member that works needs it, and zod's index names it to all. */
const ZOD_JSON_SCHEMA = "export { toJSONSchema } from 'zod/v4/core';";
const zodJsonSchemaBeside = {
  name: 'zod-json-schema-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^zod\/v4\/core$/ }, () => ({ path: './zod-json-schema.js', external: true }));
  },
};

const options = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Native binaries and data files that a bundle cannot hold.
  external: ['@vscode/ripgrep'],
  // What we bundle as CommonJS still asks for Node's own modules with require().
  banner: { js: 'const require=process.getBuiltinModule;' },
  // As browsers have it: what it needs of node:crypto takes a third of a bare node's start.
  alias: { uuid: './node_modules/uuid/dist/esm-browser/index.js' },
  legalComments: 'none',
  metafile: true,
};
const everyday = {
  ...options,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': 'selfUrl' },
  banner: { js: "const selfUrl='file://'+__filename;" },
};
const builds = await Promise.all([
  build({
    ...options,
    entryPoints: ['src/cli/main.ts'],
    chunkNames: 'main-[hash]',
    plugins: [unused, mcpSdkBeside, zodJsonSchemaBeside],
    splitting: true,
  }),
  build({ ...options, stdin: { contents: MCP_SDK, resolveDir: root }, entryNames: 'mcp-sdk' }),
  build({ ...options, stdin: { contents: ZOD_JSON_SCHEMA, resolveDir: root }, entryNames: 'zod-json-schema' }),
  build({
    ...everyday,
    entryPoints: [{ in: 'src/cli/main.ts', out: 'everyday' }],
    plugins: [unused, mcpSdkBeside, zodJsonSchemaBeside, everydayOnly],
    // Code that comes out of V8's cache cannot import(); it can require().
    supported: { 'dynamic-import': false },
  }),
  // A default export is all that there is of a module for whoever requires it.
  build({ ...everyday, entryPoints: RARE, footer: { js: 'module.exports=module.exports.default??module.exports;' } }),
]);
const outputs = Object.assign({}, ...builds.map(({ metafile }) => metafile.outputs));

const texts = {
  'meta.json': JSON.stringify({ outputs }),
  'everyday.txt': EVERYDAY.join('\n'),
  'THIRD-PARTY.txt': licences(),
};
for (const path of GRAMMAR) copyFileSync(`${root}node_modules/${path}`, `${root}dist/${basename(path)}`);
for (const [name, text] of Object.entries(texts)) writeFileSync(`${root}dist/${name}`, text);
writeFileSync(`${root}dist/everyday.cjs.cache`, codeOf(`${root}dist/everyday.cjs`));
const help = execFileSync(process.execPath, [`${root}bin/troupe.js`, 'help'], {
  encoding: 'utf8',
  env: { ...process.env, NO_COLOR: '1' },
});
writeFileSync(`${root}dist/help.txt`, help);

// Only now, so that whoever runs the program meanwhile finds one.
const current = new Set([
  ...Object.keys(outputs).map((path) => basename(path)),
  ...Object.keys(texts),
  ...GRAMMAR.map((path) => basename(path)),
  'help.txt',
  'everyday.cjs.cache',
]);
for (const name of readdirSync(`${root}dist`))
  if (!current.has(name)) rmSync(`${root}dist/${name}`, { recursive: true });

/** V8's code of a bundle, with that of the functions which the usual commands call: they are said once, to a team of one. */
function codeOf(bundle) {
  const home = mkdtempSync(join(tmpdir(), 'troupe-build-'));
  try {
    const team = join(home, 'teams', 'team');
    for (const folder of ['inboxes', 'requests', 'run', 'tasks', 'files'])
      mkdirSync(join(team, folder), { recursive: true });
    const lead = { agentId: 'team-lead@team', name: 'team-lead', joinedAt: 0, tmuxPaneId: '', cwd: root };
    const config = { name: 'team', createdAt: 0, leadAgentId: lead.agentId, members: [lead] };
    writeFileSync(join(team, 'config.json'), JSON.stringify(config));
    const said = [['ls'], ['status', 'team'], ['send', '-t', 'team', 'lead', 'Hello.'], ['inbox', '-t', 'team']];
    const keep = `
      const { load } = require(${JSON.stringify(join(root, 'bin', 'cached.js'))});
      const { exports, script } = load(${JSON.stringify(bundle)});
      const said = ${JSON.stringify(said)}.reduce((before, words) => before.then(() => exports.main(words)), Promise.resolve());
      said.then(() => require('node:fs').writeFileSync(${JSON.stringify(join(home, 'code'))}, script.createCachedData()));
    `;
    rmSync(`${bundle}.cache`, { force: true });
    const env = { ...process.env, TROUPE_HOME: home };
    execFileSync(process.execPath, ['--input-type=commonjs', '--eval', keep], { env, stdio: 'pipe' });
    return readFileSync(join(home, 'code'));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** The licence of each package that some part of the bundle comes from. */
function licences() {
  const folders = Object.values(outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const copied = GRAMMAR.map((path) => `node_modules/${path.split('/')[0]}`);
  const texts = [...new Set([...folders, ...copied])].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'));
    const file = readdirSync(`${root}${folder}`).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : `\n\n${readFileSync(`${root}${folder}/${file}`, 'utf8').trim()}`;
    return `${name} ${version} (${license})${text}`;
  });
  return `troupe holds code of these packages.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
