// Builds the shipped program: one minified ES module per lazily loaded part, and the text of `troupe --help`,
// which bin/troupe.js prints without loading any of them.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('.', import.meta.url));

rmSync(`${root}dist`, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  chunkNames: 'chunk-[hash]',
  // Native binaries and data files that a bundle cannot hold.
  external: ['@vscode/ripgrep'],
  // What we bundle as CommonJS still asks for Node's own modules with require().
  banner: { js: "import{createRequire as $require}from'node:module';const require=$require(import.meta.url);" },
  legalComments: 'none',
  metafile: true,
});
writeFileSync(`${root}dist/meta.json`, JSON.stringify(metafile));

const env = { ...process.env, NO_COLOR: '1' };
writeFileSync(
  `${root}dist/help.txt`,
  execFileSync(process.execPath, [`${root}bin/troupe.js`, 'help'], { encoding: 'utf8', env }),
);
