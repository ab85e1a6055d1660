import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { homeAt } from '../../src/config/paths.js';
import { makeTeamFolders } from '../../src/team/archive.js';
import { openTeamFile } from '../../src/team/teamFile.js';
import { eventually } from '../helpers/eventually.js';
import { tempDir } from '../helpers/tempDir.js';

const SENDERS = 8;
const SENDS = 25;

const SENDER = `
import { sendMany } from ${JSON.stringify(join(process.cwd(), 'src/app/demo/stressInbox.ts'))};
import { homeAt } from ${JSON.stringify(join(process.cwd(), 'src/config/paths.ts'))};
const [root] = process.argv.slice(2);
await sendMany({ home: homeAt(root), team: 'red', to: 'alice', count: ${SENDS}, print: (id) => process.stdout.write(id + '\\n') });
`;

const READER = `
import { appendFileSync, readFileSync } from 'node:fs';
import { readInbox } from ${JSON.stringify(join(process.cwd(), 'src/app/demo/stressInbox.ts'))};
import { homeAt } from ${JSON.stringify(join(process.cwd(), 'src/config/paths.ts'))};
const [root, out] = process.argv.slice(2);
const delivered = new Set(readFileSync(out, 'utf8').split('\\n').filter(Boolean));
await readInbox({
  home: homeAt(root), team: 'red', member: 'alice', delivered,
  onMessage: async ({ msg_id }) => appendFileSync(out, msg_id + '\\n', { flush: true }),
  signal: new AbortController().signal,
});
`;

test('every acknowledged message arrives once, though senders and the reader are killed', {
  timeout: 60_000,
}, async () => {
  await using dir = await tempDir();
  const home = homeAt(join(dir.path, 'home'));
  for (const path of [home.root, home.teams]) await mkdir(path);
  await makeTeamFolders(home.team('red'));
  const alice = { agentId: 'alice@red', name: 'alice', joinedAt: 0, tmuxPaneId: '', cwd: dir.path, subscriptions: [] };
  await openTeamFile(home.team('red').config).create({
    name: 'red',
    createdAt: 0,
    leadAgentId: 'team-lead@red',
    members: [alice],
  });
  const [sender, reader] = await Promise.all([
    bundled(dir.path, 'sender', SENDER),
    bundled(dir.path, 'reader', READER),
  ]);
  const out = join(dir.path, 'received');
  await writeFile(out, '');
  const received = async () => (await readFile(out, 'utf8')).split('\n').filter(Boolean);

  let reading = fork(reader, [home.root, out]);
  const senders = Array.from({ length: SENDERS }, () => listened(fork(sender, [home.root], { silent: true })));
  for (const { acknowledged, child } of senders.slice(0, 2)) {
    await eventually(() => expect(acknowledged().length).toBeGreaterThan(2));
    child.kill('SIGKILL');
  }
  await eventually(async () => expect((await received()).length).toBeGreaterThan(10));
  await ended(reading, 'SIGKILL');
  reading = fork(reader, [home.root, out]);

  await Promise.all(senders.map(({ end }) => end));
  const acknowledged = senders.flatMap((each) => each.acknowledged());
  expect(acknowledged.length).toBeGreaterThanOrEqual((SENDERS - 2) * SENDS);
  await eventually(async () => expect(await received()).toEqual(expect.arrayContaining(acknowledged)), 40_000);
  await ended(reading, 'SIGTERM');
  const all = await received();
  expect(new Set(all).size).toBe(all.length);
});

async function bundled(folder: string, name: string, contents: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  const banner = { js: "import{createRequire as $require}from'node:module';const require=$require(import.meta.url);" };
  await build({
    stdin: { contents, resolveDir: process.cwd() },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner,
  });
  return outfile;
}

function listened(child: ChildProcess): { child: ChildProcess; acknowledged: () => string[]; end: Promise<void> } {
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  // `close`, not `exit`: what was acknowledged before the end may still be in the pipe.
  const end = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return { child, acknowledged: () => text.split('\n').slice(0, -1), end };
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const end = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  return end;
}
