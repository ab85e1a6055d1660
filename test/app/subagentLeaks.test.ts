import { getEventListeners } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createIsolation, type Isolation } from '../../src/app/subagents/isolation.js';
import type { ToolScope } from '../../src/app/subagents/subagent.js';
import type { SubagentsDeps } from '../../src/app/subagents/subagents.js';
import type { SessionPaths } from '../../src/config/paths.js';
import type { AgentDefinition } from '../../src/definitions/agent.js';
import { endMarked, markedProcesses } from '../../src/host/children.js';
import { type Clock, systemClock } from '../../src/host/clock.js';
import { run } from '../../src/host/run.js';
import type { ModelClient } from '../../src/model/types.js';
import { createBashTool } from '../../src/tools/bash.js';
import { git } from '../../src/worktree/git.js';
import { fakeModel, onAbort, tool } from '../agent/harness.js';
import { eventually } from '../helpers/eventually.js';
import { markIn, subagentBench } from './subagentBench.js';

/** Where an agent's life can be hit: each is called once, when the agent is there. */
const STEPS = [
  'worktree made',
  'prompt written',
  'gate made',
  'first request',
  'tool running',
  'usage counted',
  'second request',
  'children ended',
  'worktree looked at',
] as const;
/** Those, and the moment before a command's shell is started. */
const MOMENTS = [...STEPS, 'command begun'] as const;
type Step = (typeof MOMENTS)[number];
type Hit = (step: Step) => void;

const LEAVES_CHILDREN = 'setsid sleep 300 >/dev/null 2>&1 & sleep 300 >/dev/null 2>&1 & echo started';

/** What Bash waits for is no matter here: it looks ten times as often. */
const hasty: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 10, signal) };

/** A worker in a worktree that leaves processes behind, every step of which tells `hit`. */
async function worker(hit: Hit, hangs = false) {
  const timersBefore = timers();
  const bash = (scope: ToolScope, session: SessionPaths) =>
    createBashTool({
      clock: hasty,
      mark: { ...markIn(session), ...(scope.agentId !== undefined && { agent: scope.agentId }) },
      environment() {
        hit('command begun');
        return { PATH: process.env['PATH'] ?? '' };
      },
      outputFolder: session.tasks,
      keepsCwd: false,
      folders: () => [scope.folder],
    });
  const real = createIsolation(run, undefined);
  const isolation: Isolation = {
    ...real,
    async create(...args) {
      const made = await real.create(...args);
      try {
        hit('worktree made');
      } catch (error) {
        await real.release(made, args[1]);
        throw error;
      }
      return made;
    },
    async release(...args) {
      const released = await real.release(...args);
      hit('worktree looked at');
      return released;
    },
  };
  const model = fakeModel([
    { calls: [{ name: 'Bash', input: { command: LEAVES_CHILDREN } }, 'Grep'] },
    hangs ? { hangs } : { text: 'done' },
  ]);
  const others = fakeModel([]);
  let first: string | undefined;
  const client: ModelClient = {
    async *stream(request, signal) {
      first ??= request.userId;
      // Wherever the worker was hit: what it was not answered any more is no answer to the next one.
      if (request.userId !== first) return yield* others.stream(request, signal);
      hit(model.requests.length === 0 ? 'first request' : 'second request');
      signal.throwIfAborted();
      return yield* model.stream(request, signal);
    },
  };
  const definition: AgentDefinition = {
    agentType: 'worker',
    whenToUse: '',
    getSystemPrompt: () => {
      hit('prompt written');
      return 'You work.';
    },
    source: 'project',
  };
  // Of a name that an agent in the background has too.
  const slow = tool('Grep', async ({ signal }) => {
    hit('tool running');
    if (signal.aborted) await new Promise<void>((_, reject) => onAbort(signal, () => reject(signal.reason)));
    return 'slow';
  });
  const given: Partial<SubagentsDeps> = {
    client,
    gateFor: () => {
      hit('gate made');
      return { decide: async () => ({ allow: true }) };
    },
    spent: async () => hit('usage counted'),
  };
  const bench = await subagentBench({
    repository: true,
    isolation,
    definitions: [definition],
    settings: { limits: { depth: 1, concurrent: 1, perSession: 200 } },
    tools: (scope, session) => [bash(scope, session), slow],
    given: {
      ...given,
      endChildren: async (agent) => {
        await endMarked({ ...markIn(bench.session), agent }, systemClock, 200);
        hit('children ended');
      },
    },
  });
  return { ...bench, timersBefore, model };
}

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

const openFiles = (folder: string) =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });

type Bench = Awaited<ReturnType<typeof worker>>;

/** Only one may run at a time. */
async function expectPlaceIsFree({ call }: Bench) {
  expect(await call({ subagentType: 'Explore' }, new AbortController().signal)).toContain('done');
}

async function expectNothingLeft(bench: Bench) {
  const { cwd, session, turn } = bench;
  await eventually(async () => expect(await markedProcesses(markIn(session))).toEqual([]));
  expect(await git(run, cwd)('worktree', 'list')).toMatch(/^\S+ +\w+ \[main\]$/);
  expect(await git(run, cwd)('branch', '--format=%(refname:short)')).toBe('main');
  expect(await git(run, cwd)('status', '--porcelain')).toBe('');
  expect((await bench.files.tasks()).filter(({ status }) => status === 'running')).toEqual([]);
  expect((await bench.files.agents()).filter(({ status }) => status === 'running')).toEqual([]);
  expect(bench.registry.all().filter((task) => task.record().status === 'running')).toEqual([]);
  expect(getEventListeners(turn.signal, 'abort')).toEqual([]);
  // Bash looks now and then whether what it left running is gone.
  await eventually(() => expect(openFiles(session.root)).toEqual([]));
  await bench.registry.close();
  await eventually(() => expect(timers()).toBeLessThanOrEqual(bench.timersBefore));
}

test('after a normal end nothing is left: no process that it started, not even one with a session of its own', async () => {
  const steps: Step[] = [];
  await using bench = await worker((step) => void steps.push(step));
  expect(await bench.call({ subagentType: 'worker', isolation: 'worktree' })).toContain('done');
  expect(new Set(steps)).toEqual(new Set(MOMENTS));
  await expectPlaceIsFree(bench);
  await expectNothingLeft(bench);
});

test.each(STEPS)('after a throw at "%s" nothing is left', async (broken) => {
  let isFirst = true;
  await using bench = await worker((step) => {
    if (step !== broken || !isFirst) return;
    isFirst = false;
    throw new Error(`broken: ${step}`);
  });
  await bench.call({ subagentType: 'worker', isolation: 'worktree' }).catch(() => {});
  expect(isFirst).toBe(false);
  await expectPlaceIsFree(bench);
  await expectNothingLeft(bench);
});

test.each(STEPS)('after an abort at "%s" nothing is left', async (at) => {
  await using bench = await worker((step) => {
    if (step === at) bench.turn.abort();
  });
  await bench.call({ subagentType: 'worker', isolation: 'worktree' }).catch(() => {});
  expect(bench.turn.signal.aborted).toBe(true);
  await expectPlaceIsFree(bench);
  await expectNothingLeft(bench);
});

const CALL = { subagentType: 'worker', isolation: 'worktree', runInBackground: true } as const;

test('a member that ends takes its background agents with it', async () => {
  await using bench = await worker(() => {}, true);
  await bench.call(CALL);
  await eventually(() => expect(bench.model.requests).toHaveLength(2));
  await eventually(async () => expect(await markedProcesses(markIn(bench.session))).toHaveLength(2));
  await bench.registry.close();
  expect(await bench.files.tasks()).toMatchObject([{ status: 'killed' }]);
  expect(await bench.files.notices()).toHaveLength(1);
  await expectNothingLeft(bench);
});

test.each(MOMENTS)('a member that ends at "%s" takes its background agent with it', async (at) => {
  const ending: Promise<void>[] = [];
  await using bench = await worker((step) => {
    if (step === at && ending.length === 0) ending.push(bench.registry.close());
  });
  await bench.call(CALL).catch(() => {});
  await eventually(() => expect(ending).toHaveLength(1));
  await Promise.all(ending);
  await expectNothingLeft(bench);
});
