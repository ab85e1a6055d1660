import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PDFDocument } from 'pdf-lib';
import { expect, test } from 'vitest';
import { initRepo } from '../helpers/gitRepo.js';
import { heardBy, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';
import { resultsOf } from '../helpers/requests.js';

const reply = (...calls: string[]) => `
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
${calls.map((call) => `        - ${call}`).join('\n')}
    - reply: Done.
  team-lead/*:
    - reply: 'A small answer.'
`;

test('the shipped program reads pages of a PDF and cells of a notebook, and changes one; of what is damaged in them nothing is printed', async () => {
  await using team = await stage(
    reply(
      '{ tool: Read, input: { file_path: a.pdf, pages: "2-3" } }',
      '{ tool: Read, input: { file_path: a.ipynb } }',
      '{ tool: NotebookEdit, input: { notebook_path: a.ipynb, cell_id: one, new_source: changed } }',
    ),
  );
  const pdf = await PDFDocument.create();
  for (let page = 0; page < 12; page++) pdf.addPage([100, 100]);
  const written = Buffer.from(await pdf.save({ useObjectStreams: false })).toString('latin1');
  const damage = '99 0 obj\n<< /A [ (( >>\nendobj\n';
  await writeFile(join(team.folder, 'a.pdf'), written.replace('xref', `${damage}xref`), 'latin1');
  const cells = [{ cell_type: 'markdown', id: 'one', metadata: {}, source: ['first'] }];
  await writeFile(
    join(team.folder, 'a.ipynb'),
    JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }),
  );
  const { result, stderr } = await runJson(team, 'Read.', '--permission-mode', 'acceptEdits');
  expect(stderr).toBe('');
  expect(result).toMatchObject({ subtype: 'success', permission_denials: [] });
  expect(resultsOf(team, 'team-lead')).toMatchObject([
    [
      { type: 'text', text: expect.stringMatching(/^Pages 2–3 of 12 of /) },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf' } },
      { type: 'text' },
    ],
    [{ type: 'text', text: '<cell id="one" type="markdown">\nfirst\n</cell>' }, { type: 'text' }],
    expect.stringMatching(/^Replaced cell one in .*\n[\s\S]*-first\n[\s\S]*\+changed/),
  ]);
});

test('WebFetch has the small model answer, reaches this machine only where a rule names it, and its cost is counted', async () => {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'),
  );
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  try {
    await using team = await stage(
      reply(`{ tool: WebFetch, input: { url: "http://127.0.0.1:${port}/", prompt: "What does it say?" } }`),
    );
    const allowed = await runJson(team, 'Look.', '--allowed-tools', 'WebFetch(domain:127.0.0.1)');
    expect(allowed.result).toMatchObject({ subtype: 'success', permission_denials: [] });
    expect(resultsOf(team, 'team-lead')).toEqual(['A small answer.']);
    expect(heardBy(team, 'team-lead/webfetch')[0]).toContain('# Hi');
    expect(Object.keys(allowed.result.modelUsage).some((model) => model.includes('haiku'))).toBe(true);

    const bypassed = await runJson(team, 'Look.', '--permission-mode', 'bypassPermissions');
    expect(bypassed.result.subtype).toBe('success');
    expect(resultsOf(team, 'team-lead')).toEqual([
      expect.stringContaining('is not fetched unless the user has a rule'),
    ]);
    const denied = await runJson(team, 'Look.');
    expect(denied.result.permission_denials).toMatchObject([{ tool_name: 'WebFetch' }]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a worktree that is entered is where the next calls work, also when the agent started in a sub-folder', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: EnterWorktree, input: { name: mine } }]
    - when: { turn: 2 }
      reply:
        - { tool: Bash, input: { command: pwd } }
        - { tool: Write, input: { file_path: new.txt, content: x } }
    - when: { turn: 3 }
      reply: [{ tool: ExitWorktree, input: { action: remove } }]
    - when: { turn: 4 }
      reply: [{ tool: ExitWorktree, input: { action: remove, discard_changes: true } }]
    - when: { turn: 5 }
      reply: [{ tool: Bash, input: { command: pwd } }]
    - reply: Done.
`);
  const repo = join(team.folder, 'project');
  const { commit } = await initRepo(repo);
  await mkdir(join(repo, 'sub'));
  await commit('sub/a.txt');
  const ended = await team.troupe(
    [
      ...['run', '--output-format', 'json', 'Go.', '--permission-mode', 'acceptEdits'],
      ...['--allowed-tools', 'EnterWorktree,ExitWorktree'],
    ],
    { cwd: join(repo, 'sub'), timeout: 100_000 },
  );
  expect(ended.exitCode, ended.stderr + ended.stdout).toBe(0);
  const path = join(repo, '.claude/worktrees/mine');
  expect(resultsOf(team, 'team-lead')).toEqual([
    expect.stringContaining(`You work in ${path} now, on branch troupe/mine.`),
    path,
    `Created ${path}/new.txt (1 lines).\n(new.txt was taken as ${path}/new.txt)`,
    expect.stringContaining('holds what is nowhere else: new.txt.'),
    expect.stringContaining(`Removed ${path}. You work in ${repo}/sub again. Discarded: new.txt.`),
    `${repo}/sub`,
  ]);
});
