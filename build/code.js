// V8's code of the bundles, with that of the functions that they call at their usual work: they do it here once, each in a
// process of its own. Without it they run as well, and start slower.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TIMEOUT_MS = 120_000;
/** What the team says and does: build/work.yaml. */
const TEMPLATE = `---
name: work
description: Two who work for the build.
lead: { permissionMode: bypassPermissions }
members: [{ name: helper, permissionMode: bypassPermissions }]
---
Go.
`;

/** Writes `<bundle>.cache` beside each bundle of dist/ that everyday commands and a team in one process load. */
export async function keepCode(root) {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-build-'));
  const [home, desk] = [join(folder, 'home'), join(folder, 'desk')];
  // Nothing of whoever builds: a team would run their hooks and servers, and write their reports.
  const { PATH, TMPDIR = tmpdir() } = process.env;
  const env = { PATH, TMPDIR, HOME: folder, TROUPE_HOME: home, NO_COLOR: '1', ANTHROPIC_API_KEY: 'build' };
  const server = spawn(
    process.execPath,
    [
      join(root, 'bin', 'troupe.js'),
      'model-server',
      '--json',
      '--script',
      fileURLToPath(new URL('work.yaml', import.meta.url)),
    ],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    mkdirSync(desk);
    makeTeam(join(home, 'teams', 'team'), desk);
    mkdirSync(join(home, 'templates'), { mode: 0o700 });
    writeFileSync(join(home, 'templates', 'work.md'), TEMPLATE);
    const options = { cwd: desk, env: { ...env, ANTHROPIC_BASE_URL: await urlOf(server) } };
    keep(root, 'program.cjs', [['run', 'work', '--output-format', 'json'], ['agents']], options);
    const said = [['ls'], ['status', 'team'], ['send', '-t', 'team', 'lead', 'Hello.'], ['inbox', '-t', 'team']];
    keep(root, 'everyday.cjs', said, options);
  } catch (error) {
    console.warn(`The program starts slower than it could, for its usual work failed here: ${error.message}`);
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the model server listens. @throws when it ends, or cannot be started, instead */
async function urlOf(server) {
  const ended = once(server, 'exit').then(([code]) => {
    throw new Error(`the model server ended with ${code}.`);
  });
  const [line] = await Promise.race([once(server.stdout, 'data'), ended]);
  ended.catch(() => {});
  return JSON.parse(String(line)).url;
}

function keep(root, bundle, lines, options) {
  const work = `
    const { readFileSync, renameSync, writeFileSync } = require('node:fs');
    const { load, loadedScripts } = require(${JSON.stringify(join(root, 'bin', 'cached.js'))});
    const { main } = load(${JSON.stringify(join(root, 'dist', bundle))});
    (async () => {
      for (const words of ${JSON.stringify(lines)}) await main(words);
      for (const [file, script] of loadedScripts()) {
        const hash = readFileSync(file).subarray(-64);
        writeFileSync(file + '.cache.new', Buffer.concat([hash, script.createCachedData()]));
        renameSync(file + '.cache.new', file + '.cache');
      }
    })();
  `;
  try {
    execFileSync(process.execPath, ['--input-type=commonjs', '--eval', work], {
      ...options,
      stdio: 'pipe',
      timeout: TIMEOUT_MS,
    });
  } catch (error) {
    console.warn(`${bundle} starts slower than it could, for its usual work failed here: ${error.message}`);
  }
}

function makeTeam(team, cwd) {
  for (const folder of ['inboxes', 'requests', 'run', 'tasks', 'files'])
    mkdirSync(join(team, folder), { recursive: true });
  const lead = { agentId: 'team-lead@team', name: 'team-lead', joinedAt: 0, tmuxPaneId: '', cwd };
  const config = { name: 'team', createdAt: 0, leadAgentId: lead.agentId, members: [lead] };
  writeFileSync(join(team, 'config.json'), JSON.stringify(config));
}
