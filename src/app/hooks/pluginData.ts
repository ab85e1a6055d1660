import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Home } from '../../config/paths.js';
import { fileNameOf } from '../../util/names.js';

/** `CLAUDE_PLUGIN_DATA`: where a plugin keeps what outlives its own files. The folder is made. */
export async function pluginData({ root }: Pick<Home, 'root'>, pluginRoot: string): Promise<string> {
  const digest = createHash('sha256').update(pluginRoot).digest('hex').slice(0, 8);
  const folder = join(root, 'plugin-data', `${fileNameOf(basename(pluginRoot)).slice(0, 40)}-${digest}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
