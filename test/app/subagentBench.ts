import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arrival } from '../../src/agent/arrivals.js';
import { createTaskRegistry } from '../../src/agent/background/background.js';
import type { AgentEvent } from '../../src/agent/events.js';
import type { AgentState } from '../../src/agent/ports.js';
import type { Tool } from '../../src/agent/tool.js';
import { createIsolation, type Isolation } from '../../src/app/subagents/isolation.js';
import type { AgentParent, ToolScope } from '../../src/app/subagents/subagent.js';
import { type SubagentSettings, subagentSettings } from '../../src/app/subagents/subagentSettings.js';
import { createSubagents, type SubagentsDeps } from '../../src/app/subagents/subagents.js';
import { createTaskPort } from '../../src/app/subagents/taskPort.js';
import { taskStore } from '../../src/app/subagents/taskStore.js';
import { homeAt, type SessionPaths } from '../../src/config/paths.js';
import type { AgentDefinition } from '../../src/definitions/agent.js';
import { builtInAgents } from '../../src/definitions/builtin/all.js';
import { endMarked } from '../../src/host/children.js';
import { type Clock, systemClock, within } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { run } from '../../src/host/run.js';
import type { ModelRequest } from '../../src/model/types.js';
import { makeFolder } from '../../src/store/spool.js';
import type { Launch } from '../../src/team/start/launch.js';
import { type AgentCall, createAgentTool } from '../../src/tools/agent.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';
import { openTaskFiles } from '../../src/transcript/taskFiles.js';
import { fakeModel, MODEL, type Reply } from '../agent/harness.js';
import { initRepo } from '../helpers/gitRepo.js';
import { tempDir } from '../helpers/tempDir.js';

const NOT_HERE: Isolation = {
  create: () => Promise.reject(new Error('no worktrees in this test')),
  reopen: () => Promise.reject(new Error('no worktrees in this test')),
  enter: () => () => {},
  release: async () => true,
};

/** What the child processes of the session carry. */
export const markIn = (session: SessionPaths) => ({ member: 'bob@red:1', home: session.root });

export interface BenchOptions {
  readonly clock?: Clock;
  /** What the n-th agent that asks its model is answered, one list each; an agent without one says "done". */
  readonly replies?: readonly (readonly Reply[])[];
  readonly tools?: (scope: ToolScope, session: SessionPaths) => readonly Tool[];
  /** Whether its project is a git repository with one commit; worktrees are real then. */
  readonly repository?: boolean;
  readonly definitions?: readonly AgentDefinition[];
  readonly settings?: Partial<SubagentSettings>;
  readonly environment?: Record<string, string>;
  readonly backend?: Launch['backend'];
  readonly isolation?: Isolation;
  readonly parent?: Partial<AgentParent>;
  readonly maxOutputBytes?: number;
  readonly given?: Partial<SubagentsDeps>;
}

/** The sub-agents of one session on a disk of the test's own; their models answer from lists. */
export async function subagentBench({
  clock = systemClock,
  replies = [],
  tools = () => [],
  definitions = [],
  settings = {},
  environment = {},
  backend = 'tmux',
  repository = false,
  isolation = repository ? createIsolation(run, undefined) : NOT_HERE,
  parent: parentOf = {},
  maxOutputBytes,
  given = {},
}: BenchOptions = {}) {
  const dir = await tempDir();
  const cwd = join(dir.path, 'project');
  await (repository ? initRepo(cwd) : mkdir(cwd));
  const session = homeAt(dir.path).session('session');
  await makeFolder(join(dir.path, 'sessions'));
  for (const folder of [session.root, session.agents, session.tasks, session.notices]) await makeFolder(folder);
  const files = openTaskFiles(session);
  const models = new Map<string, ReturnType<typeof fakeModel>>();
  const modelOf = (userId: string) => {
    const known = models.get(userId) ?? fakeModel(replies[models.size] ?? []);
    models.set(userId, known);
    return known;
  };
  const arrivals: Arrival[] = [];
  const events: AgentEvent[] = [];
  const problems: string[] = [];
  const spent: number[] = [];
  const registry = createTaskRegistry({
    clock,
    within,
    ids: systemIds,
    store: taskStore(session, maxOutputBytes),
    tell: (arrival) => arrivals.push(arrival),
    onEvent(event) {
      events.push(event);
      given.onEvent?.(event);
    },
    onProblem: (problem) => problems.push(problem),
  });
  const state: AgentState = { cwd, mode: 'default' };
  let lastRequest: ModelRequest | undefined;
  let own: readonly Tool[] = [];
  const parent: AgentParent = {
    id: 'bob',
    depth: 0,
    folder: cwd,
    model: MODEL,
    state,
    tools: () => own,
    history: () => [],
    readLedger: createReadLedger(),
    lastRequest: () => lastRequest,
    ...parentOf,
  };
  const launch = { environment, settings: {}, backend, role: 'teammate' } as unknown as Launch;
  const toolsFor = (scope: ToolScope) => [createAgentTool(scope.agents), ...tools(scope, session)];
  const agents = [...builtInAgents({}), ...definitions];
  const subagents = createSubagents({
    clock,
    ids: systemIds,
    client: { stream: (request, signal) => modelOf(request.userId).stream(request, signal) },
    toolsFor,
    gateFor: () => ({ decide: async () => ({ allow: true }) }),
    environment: { cwd, isRepository: repository, platform: 'linux', shell: 'bash', model: MODEL },
    variables: environment,
    gitNote: async () => '',
    session,
    sessionId: 'session',
    userId: 'troupe:red:bob',
    settings: { ...subagentSettings(launch), ...settings },
    agents: async () => ({
      agents: new Map(agents.map((agent) => [agent.agentType, agent])),
      skipped: [],
      overridden: [],
      warnings: [],
    }),
    registry,
    files,
    isolation,
    denyRules: () => [],
    isMember: (name) => name === 'carol',
    startedBefore: [],
    spent: async ({ costUsd }) => void spent.push(costUsd),
    onEvent: (event) => events.push(event),
    endChildren: async (agent) => void (await endMarked({ ...markIn(session), agent }, clock, 200)),
    ...given,
  });
  const port = subagents.portOf(() => parent);
  own = toolsFor({ folder: cwd, keepsCwd: true, agents: port });
  const turn = new AbortController();
  let calls = 0;
  return {
    dir: dir.path,
    cwd,
    session,
    files,
    registry,
    tasks: createTaskPort({ registry, clock }),
    subagents,
    parent,
    state,
    arrivals,
    events,
    problems,
    spent,
    turn,
    models: () => [...models.values()],
    say: (request: ModelRequest) => {
      lastRequest = request;
    },
    call: (more: Partial<AgentCall> = {}, signal: AbortSignal = turn.signal) =>
      port.start({ toolUseId: `toolu_call_${++calls}`, description: 'look around', prompt: 'Look.', ...more }, signal),
    tell: (to: string, text: string) => subagents.tell(parent, to, text, turn.signal),
    async [Symbol.asyncDispose]() {
      await registry.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}
