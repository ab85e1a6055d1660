import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createArrivals } from '../../src/agent/arrivals.js';
import type { AgentRun } from '../../src/agent/runAgent.js';
import type { ToolContext } from '../../src/agent/tool.js';
import { createSessionHooks } from '../../src/app/hooks/sessionHooks.js';
import type { World } from '../../src/app/services.js';
import { joinAgent } from '../../src/app/session/memberAgent.js';
import { openGround } from '../../src/app/session/sessionGround.js';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { run } from '../../src/host/run.js';
import type { MessageParam } from '../../src/model/types.js';
import { createInProcessBackend } from '../../src/panes/inProcess.js';
import { takeLaunch } from '../../src/team/start/launch.js';
import { startMember } from '../../src/team/start/lifecycle.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';
import { MODEL, onAbort, tool } from '../agent/harness.js';
import { eventually } from '../helpers/eventually.js';
import { type TeamOnDisk, teamOnDisk } from '../helpers/team.js';
import { depsIn, requestIn } from '../team/start/starting.js';
import { subagentBench } from './subagentBench.js';

/** `shared`: what one changes the other sees. `cloned`: as the parent's was, changed apart. `child`: the parent's abort reaches it. */
type Relation = 'shared' | 'cloned' | 'new' | 'child';
type Piece =
  | 'abort'
  | 'cwd'
  | 'mode'
  | 'read ledger'
  | 'history'
  | 'tools'
  | 'system prompt'
  | 'transcript'
  | 'usage sums'
  | 'task registry';
type Seen = Record<Piece, Relation>;

const KNOWN = '/known.ts';
const FACTS = { mtimeMs: 1, size: 1, partial: false };
const SAID: MessageParam[] = [
  { role: 'user', content: [{ type: 'text', text: 'What the parent was told.' }] },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'toolu_parent', name: 'Agent', input: { description: 'd', prompt: 'p' } }],
  },
];

/** Starts one sub-agent, has it change all that it can, and says of each piece how it belongs to its parent's. */
async function observed(call: { subagentType?: string; runInBackground?: boolean }): Promise<Seen> {
  const history = structuredClone(SAID);
  const readLedger = createReadLedger();
  readLedger.record(KNOWN, FACTS);
  let inside: ToolContext | undefined;
  await using bench = await subagentBench({
    replies: [[{ calls: ['Bash'] }, { text: 'done' }]],
    parent: { history: () => history, readLedger },
    tools: () => [
      tool('Bash', async (context) => {
        inside = context;
        context.readLedger.record('/new.ts', FACTS);
        await Promise.race([released, new Promise<void>((resolve) => onAbort(context.signal, resolve))]);
        return { content: 'ok', cwd: join(bench.cwd, 'below'), mode: 'plan' };
      }),
      tool('TaskCreate', async () => ''),
    ],
  });
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await mkdir(join(bench.cwd, 'below'));
  bench.state.mode = 'acceptEdits';
  bench.say({ model: MODEL, system: ['The parent’s.'], messages: [], tools: [], userId: 'u' });

  const outcome = bench.call(call).catch((error: unknown) => String(error));
  const probe = await eventually(() => {
    expect(inside).toBeDefined();
    return inside;
  });
  const [task] = bench.registry.all();
  bench.turn.abort();
  const isReached = probe?.signal.aborted === true;
  release();
  await outcome;
  await task?.ended;
  const [request] = bench.models()[0]?.requests ?? [];
  const texts = JSON.stringify(request?.messages);
  const lines = await bench.files.agents();
  const bytes = (list: readonly { readonly name: string }[] = []) => JSON.stringify(list.map((one) => one));
  return {
    abort: isReached ? 'child' : 'new',
    cwd: bench.state.cwd !== bench.cwd ? 'shared' : probe?.cwd === bench.cwd ? 'cloned' : 'new',
    mode: bench.state.mode !== 'acceptEdits' ? 'shared' : probe?.mode === 'acceptEdits' ? 'cloned' : 'new',
    'read ledger': readLedger.get('/new.ts') ? 'shared' : probe?.readLedger.get(KNOWN) ? 'cloned' : 'new',
    history: history.length !== SAID.length ? 'shared' : texts.includes('What the parent was told.') ? 'cloned' : 'new',
    tools: bytes(request?.tools) === bytes(bench.parent.tools().map(({ schema }) => schema)) ? 'cloned' : 'new',
    'system prompt': request?.system.join() === 'The parent’s.' ? 'cloned' : 'new',
    transcript: lines.length === 1 && lines[0]?.agentId === task?.record().agentId ? 'new' : 'shared',
    'usage sums': bench.spent.length > 0 ? 'shared' : 'new',
    'task registry': task ? 'shared' : 'new',
  };
}

/** Two teammates of one process: what one has of its own that the other has not. */
async function observedTeammate(): Promise<Seen> {
  await using team = await teamOnDisk();
  const runs: { run: AgentRun; turn: AbortController; session: string; record: object; outcomes: object }[] = [];
  const backend = createInProcessBackend({
    async startMember(launchFile, signal) {
      const launch = await takeLaunch(launchFile);
      const world = worldOf(team);
      const nothing = async () => {};
      const ground = await openGround({ world, launch, announce: nothing, onProblem: () => {} });
      const turn = new AbortController();
      const edges = {
        arrivals: createArrivals(),
        delivered: nothing,
        next: async () => undefined,
        turnSignal: () => turn.signal,
        drain: new AbortController().signal,
      };
      const port = { prose: fail, shutdownRequest: fail, shutdownResponse: fail, planResponse: fail };
      const { state } = ground.parts;
      const hooks = createSessionHooks({ world, launch, state, isNew: true, note: fail });
      const parts = { world, launch, ground, edges, messages: port, submitPlan: fail, hooks };
      const agent = await joinAgent({ ...parts, leave() {}, onEvent() {}, onProblem: fail, onServerProblem: fail });
      runs.push({ run: agent, turn, session: launch.sessionId, record: ground.parts.record, outcomes: agent.cleanups });
      await ground.parts.record.change({ state: 'idle', readyAt: 1 });
      await new Promise<void>((resolve) => onAbort(signal, resolve));
      for (const cleanup of agent.cleanups.toReversed()) await cleanup();
      await ground.parts.record.change({ state: 'exited' });
      return { code: 0, lastLines: '' };
    },
  });
  const deps = { ...depsIn(team, backend), environment: { PATH: process.env['PATH'] ?? '', ANTHROPIC_API_KEY: 'k' } };
  const ends: (() => Promise<void>)[] = [];
  await using _ = { [Symbol.asyncDispose]: async () => void (await Promise.all(ends.map((end) => end()))) };
  for (const member of ['bob', 'carol']) {
    const { pane } = await startMember(deps, requestIn(team, member));
    ends.push(() => backend.close(pane, { team: 'red', member }));
  }
  const [bob, carol] = runs;
  if (!bob || !carol) throw new Error('two members were started');
  bob.run.history.push(...SAID);
  bob.run.state.cwd = '/elsewhere';
  bob.run.state.mode = 'plan';
  bob.run.readLedger.record('/new.ts', FACTS);
  bob.turn.abort();
  return {
    abort: carol.run.turnSignal().aborted ? 'child' : 'new',
    cwd: carol.run.state.cwd === '/elsewhere' ? 'shared' : 'new',
    mode: carol.run.state.mode === 'plan' ? 'shared' : 'new',
    'read ledger': carol.run.readLedger.get('/new.ts') ? 'shared' : 'new',
    history: carol.run.history.length > 0 ? 'shared' : 'new',
    tools: carol.run.tools.some((one) => bob.run.tools.includes(one) && one.name === 'Bash') ? 'shared' : 'new',
    'system prompt': carol.run.system.join() === bob.run.system.join() ? 'cloned' : 'new',
    transcript: carol.session === bob.session ? 'shared' : 'new',
    'usage sums': carol.record === bob.record ? 'shared' : 'new',
    'task registry': carol.outcomes === bob.outcomes ? 'shared' : 'new',
  };
}

const fail = () => Promise.reject(new Error('nobody calls this'));

function worldOf(team: TeamOnDisk): World {
  return {
    home: team.home,
    clock: systemClock,
    ids: systemIds,
    run,
    environment: () => ({}),
    program: ['node', 'troupe'],
    shippedTemplates: team.dir,
  };
}

const ALWAYS = {
  cwd: 'cloned',
  mode: 'cloned',
  transcript: 'new',
  'usage sums': 'shared',
  'task registry': 'shared',
} as const;
const ALONE = { ...ALWAYS, 'read ledger': 'new', history: 'new', tools: 'new', 'system prompt': 'new' } as const;

test.each<[string, () => Promise<Seen>, Seen]>([
  ['foreground', () => observed({}), { ...ALONE, abort: 'child' }],
  ['background', () => observed({ runInBackground: true }), { ...ALONE, abort: 'new' }],
  [
    'fork',
    () => observed({ subagentType: 'fork' }),
    {
      ...ALWAYS,
      abort: 'new',
      'read ledger': 'cloned',
      history: 'cloned',
      tools: 'cloned',
      'system prompt': 'cloned',
    },
  ],
  [
    'in-process teammate',
    observedTeammate,
    { ...ALONE, abort: 'new', cwd: 'new', mode: 'new', 'usage sums': 'new', 'task registry': 'new' },
  ],
])('%s: each piece of context is shared, cloned or new as it is meant to be', async (_, look, expected) => {
  expect(await look()).toEqual(expected);
});
