import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { AgentState } from '../../src/agent/ports.js';
import { createSessionHooks } from '../../src/app/hooks/sessionHooks.js';
import { createSubagentHooks } from '../../src/app/hooks/subagentHooks.js';
import type { World } from '../../src/app/services.js';
import { homeAt } from '../../src/config/paths.js';
import { HooksByEvent } from '../../src/definitions/hook.js';
import type { AskModel } from '../../src/hooks/question.js';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { run } from '../../src/host/run.js';
import { makeFolder } from '../../src/store/spool.js';
import type { Launch } from '../../src/team/start/launch.js';
import { launchOf, SETTINGS } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';

const Told = z.looseObject({ hook_event_name: z.string(), agent_id: z.optional(z.string()) });
export type Told = z.infer<typeof Told>;

/** Keeps what a hook is told, in one write: hooks that run at once do not mix their lines. */
const KEEP = 'said=$(tr -d "\\n"); printf "%s\\n" "$said" >> "$CLAUDE_PROJECT_DIR/told"';

/** A command hook for every one of these events, which keeps what it is told and then does `then`. */
export const noting = (events: Readonly<Record<string, string>>) =>
  HooksByEvent.parse(
    Object.fromEntries(
      Object.entries(events).map(([event, then]) => [
        event,
        [{ hooks: [{ type: 'command', command: `${KEEP}; ${then}` }] }],
      ]),
    ),
  );

/** The hooks of bob's session, on a disk of the test's own. */
export async function hookBench(
  events: HooksByEvent,
  role: Launch['role'] = 'teammate',
  ask?: (about: { readonly world: World; readonly launch: Launch }) => AskModel,
) {
  const dir = await tempDir();
  const home = homeAt(join(dir.path, 'home'));
  const session = home.session('session');
  for (const folder of [home.root, home.sessions, session.root, session.tasks, session.agents])
    await makeFolder(folder);
  const world: World = {
    home,
    clock: systemClock,
    ids: systemIds,
    run,
    environment: () => ({}),
    program: [],
    shippedTemplates: dir.path,
  };
  const launch = launchOf({
    cwd: dir.path,
    environment: { PATH: process.env['PATH'] ?? '' },
    home: home.root,
    member: role === 'lead' ? 'team-lead' : 'bob',
    role,
    sessionId: 'session',
    model: 'claude-opus-5-5',
    backend: 'in-process',
    settings: { ...SETTINGS, hooks: { projectDir: dir.path, sources: [{ file: 'settings.json', events }] } },
  });
  const notes: string[] = [];
  const state: AgentState = { cwd: dir.path, mode: 'default' };
  const hooks = createSessionHooks({
    world,
    launch,
    state,
    isNew: true,
    note: (line) => notes.push(line),
    asker: ask && (async () => ask({ world, launch })),
  });
  return {
    dir: dir.path,
    world,
    launch,
    state,
    notes,
    hooks,
    subagents: createSubagentHooks(hooks, { agents: session.agents, hasPerson: false, clock: systemClock }),
    /** What the hooks were told, in the order in which they ran. */
    async told(): Promise<Told[]> {
      const text = await readFile(join(dir.path, 'told'), 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => Told.parse(JSON.parse(line)));
    },
    async [Symbol.asyncDispose]() {
      await hooks.end('other');
      await dir[Symbol.asyncDispose]();
    },
  };
}
