import { afterEach } from 'vitest';
import { teammatesHere } from '../../src/app/members/leadHere.js';
import { startEngine, type World } from '../../src/app/services.js';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { thisProcess } from '../../src/host/processes.js';
import { run } from '../../src/host/run.js';
import type { AssistantMessage, ContentBlockParam } from '../../src/model/types.js';
import type { Fault } from '../../src/modelServer/faults/fault.js';
import { createInProcessBackend } from '../../src/panes/inProcess.js';
import { shutdownMember } from '../../src/team/shutdown.js';
import type { TeamSettings } from '../../src/team/start/launch.js';
import { startMember } from '../../src/team/start/lifecycle.js';
import type { MemberRequest } from '../../src/team/start/slot.js';
import { SETTINGS, teamOnDisk } from '../helpers/team.js';
import { modelServer } from '../modelServer/helpers.js';
import { depsIn, requestIn } from '../team/start/starting.js';

/** Undone behind each test, in reverse order. */
export const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A request as the server saw it. */
export interface Logged {
  readonly userId: string;
  readonly status: number;
  readonly model: string;
  readonly body: {
    readonly tools: readonly { readonly name: string }[];
    readonly system: readonly { readonly text: string }[];
    readonly thinking?: unknown;
    readonly output_config?: unknown;
    readonly messages: readonly { readonly role: string; readonly content: readonly ContentBlockParam[] }[];
  };
  readonly reply: AssistantMessage;
}

/** A team whose teammates are whole sessions of this process, on a scripted model. */
export async function stage(
  script: string,
  {
    faults = [],
    settings = {},
    variables = {},
  }: {
    readonly faults?: readonly Fault[];
    readonly settings?: Partial<TeamSettings>;
    readonly variables?: Readonly<Record<string, string>>;
  } = {},
) {
  const team = await teamOnDisk();
  const server = await modelServer({ script, faults });
  const over = new AbortController();
  const problems: string[] = [];
  const engine = startEngine(systemClock, over.signal, (error) => problems.push(String(error)));
  const environment = {
    PATH: process.env['PATH'] ?? '',
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'k',
    ...variables,
  };
  const world: World = {
    home: team.home,
    clock: systemClock,
    ids: systemIds,
    run,
    environment: () => environment,
    program: ['node', 'troupe'],
    shippedTemplates: team.dir,
  };
  const self = await thisProcess();
  await team.file.update((file) => ({ ...file, leadProcess: { ...self, claimedAt: 0 } }));
  const backend = createInProcessBackend({ startMember: teammatesHere(world, engine, (line) => problems.push(line)) });
  const deps = { ...depsIn(team, backend), environment, settings: { ...SETTINGS, ...settings } };
  const end = async () => {
    const file = await team.file.require();
    const bob = file.members.find(({ name }) => name === 'bob');
    if (!bob) return;
    await shutdownMember({ place: team.place, home: team.home.root, backend, sender: { from: 'user' } }, file, bob, {
      graceMs: 0,
      force: true,
    });
  };
  ends.push(async () => {
    await end().catch(() => {});
    over.abort();
    await server.close();
    await team[Symbol.asyncDispose]();
  });
  /** What the model was asked, and what it answered. */
  const asked = async () => (await (await fetch(`${server.url}/__log`)).json()) as Logged[];
  return {
    team,
    asked,
    backend,
    problems,
    end,
    start: (more: Partial<MemberRequest>) => startMember(deps, requestIn(team, 'bob', more)),
  };
}
