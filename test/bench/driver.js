// A driver in TypeScript, made runnable with all that it imports but ripgrep.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const ripgrep = createRequire(import.meta.url).resolve('@vscode/ripgrep');

/** @param name of a file in this folder; @param outfile where it is to be run from */
export async function bundledDriver(name, outfile) {
  await build({
    stdin: { contents: readFileSync(here(name), 'utf8'), resolveDir: here('.'), loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    alias: { '@vscode/ripgrep': ripgrep },
    external: [ripgrep],
    banner: { js: "import { createRequire as made } from 'node:module'; const require = made(import.meta.url);" },
  });
}
