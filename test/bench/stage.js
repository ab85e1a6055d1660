// A home, a model server and running teams for the measurements: all of it through the shipped program.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const PROGRAM = fileURLToPath(new URL('../../bin/troupe.js', import.meta.url));
const LONGEST_MS = 180_000;
const execute = promisify(execFile);

/** @param folder an empty one; @param script the model's answers, as YAML; @param env of the programs that are measured */
export async function openStage(folder, script, env) {
  for (const name of ['home/templates', 'user', 'sockets', 'run', 'work'])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'script.yaml'), script);
  const own = {
    ...env,
    HOME: join(folder, 'user'),
    TROUPE_HOME: join(folder, 'home'),
    TMUX_TMPDIR: join(folder, 'sockets'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    ANTHROPIC_API_KEY: 'none',
  };
  delete own.TMUX;
  const args = [PROGRAM, 'model-server', '--json', '--exit-with-parent', '--script', join(folder, 'script.yaml')];
  const server = spawn(process.execPath, args, { env: own, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  server.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const { url } = await until(() => JSON.parse(said.split('\n')[0]));
  own.ANTHROPIC_BASE_URL = url;

  const options = { env: own, cwd: join(folder, 'work'), maxBuffer: 1e8 };
  const troupe = async (...words) => (await execute(process.execPath, [PROGRAM, ...words], options)).stdout;
  return {
    folder,
    env: own,
    url,
    troupe,
    start: (...words) => spawn(process.execPath, [PROGRAM, ...words], { ...options, stdio: 'ignore' }),
    status: async (team) => JSON.parse(await troupe('status', team, '--json')),
    /** The requests to the model, in their order. */
    log: async () => (await fetch(`${url}/__log`)).json(),
    template(name, members, body = 'Wait for all of them.') {
      const text = `---\nname: ${name}\ndescription: For a measurement.\nmembers: ${JSON.stringify(members)}\n---\n${body}\n`;
      writeFileSync(join(folder, 'home', 'templates', `${name}.md`), text);
    },
    async close() {
      for (const { name } of JSON.parse(await troupe('ls', '--json'))) await troupe('down', name, '--force');
      server.kill();
    },
  };
}

/** What `check` returns once it neither throws nor returns undefined. */
export async function until(check, everyMs = 20) {
  const end = performance.now() + LONGEST_MS;
  for (;;) {
    try {
      const result = await check();
      if (result !== undefined) return result;
      if (performance.now() > end) throw new Error('It did not come in time.');
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await delay(everyMs);
  }
}

/** Megabytes that a process has in memory. */
export function memoryOf(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The share of a core that a process takes while it is looked at, in percent. */
export async function cpuOf(pid, seconds) {
  const used = () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    return (user + system) / TICKS;
  };
  const begin = { used: used(), at: performance.now() };
  await delay(seconds * 1000);
  return (100 * (used() - begin.used)) / ((performance.now() - begin.at) / 1000);
}

export function median(values) {
  return percentile(values, 50);
}

export function percentile(values, percent) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
}

export function round(value) {
  return Math.round(value * 100) / 100;
}
