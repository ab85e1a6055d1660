import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ToolContext } from '../../src/agent/tool.js';
import { tempDir } from '../helpers/tempDir.js';
import { toolContext, use } from './context.js';
import { everyTool } from './every.js';

// Every cut in units of UTF-16 that does not look falls into the middle of one of these.
const LONG = '𝄞'.repeat(150_000);
const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index} 𝄞𝄞`).join('\n');

const page = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(LONG));

interface Row {
  readonly tool: string;
  readonly input: object;
  readonly files?: Readonly<Record<string, string>>;
  /** What is called first. */
  readonly first?: [tool: string, input: object];
  /** Where the rest of it is. */
  readonly rest: RegExp;
}

const cell = { cell_type: 'markdown', id: 'a', metadata: {}, source: [LONG] };
const notebook = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 });

const ROWS: readonly Row[] = [
  { tool: 'Bash', input: { command: 'cat long' }, files: { long: LONG }, rest: /All of it is in \/\S+\.output/ },
  {
    tool: 'Bash',
    input: { command: 'cat lines' },
    files: { lines: lines(20_000) },
    rest: /All of it is in \/\S+\.output/,
  },
  { tool: 'Read', input: { file_path: 'long' }, files: { long: `x${LONG}` }, rest: /more characters in this line/ },
  { tool: 'Read', input: { file_path: 'lines' }, files: { lines: lines(5000) }, rest: /Go on with offset 2001/ },
  {
    tool: 'Read',
    input: { file_path: 'a.ipynb' },
    files: { 'a.ipynb': notebook },
    rest: /All of it is in \/\S+a\.ipynb/,
  },
  {
    tool: 'Grep',
    input: { pattern: '𝄞', output_mode: 'content', head_limit: 0 },
    files: { lines: lines(20_000) },
    rest: /of more than \d+ results, from 0\. Go on with offset \d+/,
  },
  {
    tool: 'Grep',
    input: { pattern: '^x', output_mode: 'content' },
    files: { long: `x${LONG}` },
    rest: /omitted end of long line/,
  },
  {
    tool: 'Glob',
    input: { pattern: '*' },
    files: Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`𝄞${index}`, ''])),
    rest: /The newest 100 of 150\. Narrow/,
  },
  {
    tool: 'Edit',
    first: ['Read', { file_path: 'long' }],
    input: { file_path: 'long', old_string: 'x', new_string: 'y' },
    files: { long: `x${LONG}` },
    rest: /Read the file to see all of it/,
  },
  {
    tool: 'Write',
    first: ['Read', { file_path: 'lines' }],
    input: { file_path: 'lines', content: lines(1999).replaceAll('𝄞', '𝄢') },
    files: { lines: lines(1999) },
    rest: /Read the file to see all of it/,
  },
  {
    tool: 'NotebookEdit',
    first: ['Read', { file_path: 'a.ipynb' }],
    input: { notebook_path: 'a.ipynb', cell_id: 'a', new_source: `x${LONG}` },
    files: { 'a.ipynb': notebook },
    rest: /Read the file to see all of it/,
  },
  {
    tool: 'WebFetch',
    input: { url: 'http://127.0.0.1:PORT/', prompt: 'x' },
    rest: /characters left out\. Of http:\/\/127\.0\.0\.1/,
  },
];

async function textBy(tool: string, input: object, context: ToolContext, folder: string): Promise<string> {
  const found = everyTool(join(folder, '..', 'home')).find(({ name }) => name === tool);
  if (!found) throw new Error(`there is no ${tool}`);
  const { content } = await use(found, input, context);
  return typeof content === 'string' ? content : content.map((block) => ('text' in block ? block.text : '')).join('\n');
}

it.each(ROWS)('$tool cuts what is too long between code points, and says where the rest is ($rest)', async (row) => {
  await using dir = await tempDir();
  const folder = join(dir.path, 'work');
  await mkdir(folder);
  for (const [name, text] of Object.entries(row.files ?? {})) await writeFile(join(folder, name), text);
  await new Promise<void>((ready) => page.listen(0, '127.0.0.1', ready));
  try {
    const { port } = page.address() as AddressInfo;
    const context = toolContext(folder);
    if (row.first) await textBy(...row.first, context, folder);
    const input = JSON.parse(JSON.stringify(row.input).replace('PORT', String(port)));
    const text = await textBy(row.tool, input, context, folder);
    expect(text).toMatch(row.rest);
    expect(text.length).toBeLessThan(110_000);
    expect(text.isWellFormed() && !text.includes('\ufffd')).toBe(true);
    const [, whole] = /All of it is in (\/\S+)/.exec(text) ?? [];
    if (whole !== undefined) expect(await readFile(whole, 'utf8')).toContain('𝄞𝄞');
  } finally {
    page.closeAllConnections();
    await new Promise((closed) => page.close(closed));
  }
});
