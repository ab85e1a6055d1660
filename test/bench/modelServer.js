// A model server in a process of its own, so that what it costs is not part of what is measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Without a script: it answers every request at once. */
export async function startModelServer(program, env) {
  const child = spawn(process.execPath, [program, 'model-server', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(line));
  return { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'bench' }, stop: () => child.kill() };
}
