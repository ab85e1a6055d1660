import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The end-to-end tests run the program as it is shipped: builds it where a source is newer. */
export function setup(): void {
  const built = join(root, 'dist', 'help.txt');
  const script = join(root, 'build.js');
  const changed = Math.max(
    statSync(script).mtimeMs,
    ...['src', 'bin', 'build'].map((folder) => newest(join(root, folder))),
  );
  if (!existsSync(built) || changed > statSync(built).mtimeMs)
    execFileSync(process.execPath, [script], { stdio: 'inherit' });
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(folder, file)).mtimeMs));
}
