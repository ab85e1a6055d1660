import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { COMMANDS } from '../src/cli/commands/index.js';

const ROOT = join(import.meta.dirname, '..');
const docs = (await readdir(join(ROOT, 'docs'))).map((name) => join('docs', name));
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', join('templates', 'scripts', 'README.md'), ...docs];
const textOf = (page: string) => readFile(join(ROOT, page), 'utf8');
const Package = z.object({ files: z.array(z.string()) });

/** What a heading is called in a link to it. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(PAGES)('%s', (page) => {
  test('links to pages and headings that are there, and that the package has', async () => {
    const { files } = Package.parse(JSON.parse(await textOf('package.json')));
    const text = await textOf(page);
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
      expect(existsSync(join(ROOT, file)), `${target} of ${page}`).toBe(true);
      expect(files, `${target} of ${page}`).toContain(file.split('/')[0]);
      if (anchor !== undefined) expect(anchorsOf(await textOf(file)), target).toContain(anchor);
    }
  });

  test('names commands that there are', async () => {
    const named = [...(await textOf(page)).matchAll(/`troupe ([a-z][a-z-]+)/g)].map(([, name = '']) => name);
    expect(Object.keys(COMMANDS)).toEqual(expect.arrayContaining(named));
  });
});

test('every command that a person types is told of', async () => {
  const text = (await Promise.all(['README.md', ...docs].map(textOf))).join('\n');
  const visible = Object.entries(COMMANDS).filter(([, { hidden }]) => hidden !== true);
  const missing = visible.map(([name]) => name).filter((name) => !new RegExp(`troupe ${name}\\b`).test(text));
  expect(missing).toEqual([]);
});
