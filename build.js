// Builds the shipped program into dist/: minified CommonJS, each file with V8's code for it beside it (build/code.js).
// - program.cjs, the whole program; what is imported lazily is evaluated lazily;
// - everyday.cjs, the same with those commands alone that scripts call often: bin/troupe.js chooses by dist/everyday.txt;
// - the large libraries (build/libraries.js).
// Beside them: what `troupe --help` prints without loading any, and the licences of what is bundled.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { keepCode } from './build/code.js';
import { librariesBeside, libraryBuilds } from './build/libraries.js';
import { licences } from './build/licences.js';
import { EVERYDAY, everydayOnly, unused } from './build/plugins.js';

const root = fileURLToPath(new URL('.', import.meta.url));
// The shell's grammar, and what reads it: looked for beside the bundle.
const GRAMMAR = ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'];

const options = {
  absWorkingDir: root,
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  minify: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  define: { 'import.meta.url': 'selfUrl' },
  // Each file is the function that bin/cached.js calls, and ends in the hash of itself.
  banner: {
    js: "(function(exports,require,module,__filename,__dirname){const selfUrl=require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: '})' },
  // Code that comes out of V8's cache cannot import(); it can require().
  supported: { 'dynamic-import': false },
  alias: {
    // Its other form requires its own files by a name that is handed to it.
    'jsonc-parser': './node_modules/jsonc-parser/lib/esm/main.js',
    // As browsers have it: what it needs of node:crypto takes a third of a bare node's start.
    uuid: './node_modules/uuid/dist/esm-browser/index.js',
    // Its ES module names a variable `require` of its own, and imports Node's modules before that has a value.
    'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.cjs',
  },
  legalComments: 'none',
  metafile: true,
  write: false,
};
const main = 'src/cli/main.ts';
const builds = await Promise.all([
  build({ ...options, entryPoints: [{ in: main, out: 'program' }], plugins: [unused, librariesBeside] }),
  build({ ...options, entryPoints: [{ in: main, out: 'everyday' }], plugins: [unused, librariesBeside, everydayOnly] }),
  ...libraryBuilds(root).map((library) => build({ ...options, ...library, plugins: [unused] })),
]);
const outputs = Object.assign({}, ...builds.map(({ metafile }) => metafile.outputs));
const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));

mkdirSync(`${root}dist`, { recursive: true });
for (const { path, text } of builds.flatMap(({ outputFiles }) => outputFiles)) {
  requireAscii(path, text);
  // At once, for others may be running the program.
  writeFileSync(`${path}.new`, `${text}//${createHash('sha256').update(text).digest('hex')}`);
  renameSync(`${path}.new`, path);
}
const texts = {
  'meta.json': JSON.stringify({ outputs, program: builds[0].metafile.inputs, everyday: builds[1].metafile.inputs }),
  'everyday.txt': EVERYDAY.join('\n'),
  'THIRD-PARTY.txt': licences(root, [...inputs, ...GRAMMAR.map((path) => `node_modules/${path}`)]),
};
for (const path of GRAMMAR) copyFileSync(`${root}node_modules/${path}`, `${root}dist/${basename(path)}`);
for (const [name, text] of Object.entries(texts)) writeFileSync(`${root}dist/${name}`, text);
await keepCode(root);
const help = execFileSync(process.execPath, [`${root}bin/troupe.js`, 'help'], {
  encoding: 'utf8',
  env: { ...process.env, NO_COLOR: '1' },
});
writeFileSync(`${root}dist/help.txt`, help);

// Only now, so that whoever runs the program meanwhile finds one.
const bundles = Object.keys(outputs).map((path) => basename(path));
const current = new Set([
  ...bundles.flatMap((name) => [name, `${name}.cache`]),
  ...Object.keys(texts),
  ...GRAMMAR.map((path) => basename(path)),
  'help.txt',
]);
for (const name of readdirSync(`${root}dist`))
  if (!current.has(name)) rmSync(`${root}dist/${name}`, { recursive: true });

/** bin/cached.js reads bundles as latin1, which is fast; esbuild leaves other characters in tagged templates and patterns. */
function requireAscii(path, text) {
  const [found] = /[^\n]{0,40}[^\0-\x7f][^\n]{0,40}/.exec(text) ?? [];
  if (found !== undefined)
    throw new Error(`${path} must be ASCII. Write what is not as a plain string, or as \\u…: ${found}`);
}
