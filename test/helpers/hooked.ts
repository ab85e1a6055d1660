import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { initRepo } from './gitRepo.js';
import { type Stage, stage } from './program.js';

/** A project of its own with the settings given, in which the program is run. */
export async function project(script: string, settings: object, more: { readonly local?: object } = {}) {
  const base = await stage(script);
  const repo = join(base.folder, 'project');
  await initRepo(repo);
  await mkdir(join(repo, '.claude'));
  await writeFile(join(repo, '.claude', 'settings.json'), JSON.stringify(settings));
  if (more.local) await writeFile(join(repo, '.claude', 'settings.local.json'), JSON.stringify(more.local));
  const troupe: Stage['troupe'] = (args, options) => base.troupe(args, { cwd: repo, ...options });
  return {
    ...base,
    troupe,
    repo,
    /** What hooks have written into a file beside the project, a line each. */
    async lines(name = 'told') {
      const text = await readFile(join(base.folder, name), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    },
    async [Symbol.asyncDispose]() {
      await base[Symbol.asyncDispose]();
    },
  };
}

export const hook = (command: string, matcher?: string) => [
  { ...(matcher && { matcher }), hooks: [{ type: 'command', command }] },
];
/** A hook that keeps what it is told: in one write, for several may be told at once. */
export const NOTE = 'told=$(tr -d "\\n"); printf "%s\\n" "$told" >> "$CLAUDE_PROJECT_DIR/../told"';
