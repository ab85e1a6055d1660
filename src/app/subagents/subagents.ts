import { join } from 'node:path';
import { type Arrivals, createArrivals } from '../../agent/arrivals.js';
import type { Task, TaskRegistry } from '../../agent/background/background.js';
import { createAgentSlots, type Slot } from '../../agent/limits.js';
import { type Route, route } from '../../agent/route.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import { type LoadedAgents, requireAgent } from '../../definitions/load.js';
import type { Rule } from '../../permissions/rule.js';
import type { AgentCall, AgentPort } from '../../tools/agent.js';
import { historyOf } from '../../transcript/resume.js';
import type { AgentRecord } from '../../transcript/taskFiles.js';
import { openTranscript } from '../../transcript/transcript.js';
import { UserError } from '../../util/errors.js';
import { type AgentEndDeps, toAgentEnd } from './agentEnd.js';
import { type AgentParent, joinSubagent, type SubagentDeps } from './subagent.js';
import type { SubagentSettings } from './subagentSettings.js';
import { launchedText, resultText } from './subagentWords.js';

export interface SubagentsDeps extends SubagentDeps, AgentEndDeps {
  readonly agents: () => Promise<LoadedAgents>;
  readonly registry: TaskRegistry;
  readonly denyRules: () => readonly Rule[];
  /** The team, for whoever may bring members into it. */
  readonly team?: string | undefined;
  readonly teammate?: ((call: AgentCall) => Promise<string>) | undefined;
  /** Whether a member of the team has this name. */
  readonly isMember: (name: string) => boolean;
  /** The tool-use ids of the agents that the session has had before. */
  readonly startedBefore: readonly string[];
  /** Names of the connected MCP servers, once those that are about to be connected are. */
  readonly mcpServers?: (() => Promise<readonly string[]>) | undefined;
}

/** The sub-agents of one session. */
export interface Subagents {
  /** Where an agent's calls of the Agent tool go. */
  portOf(parent: () => AgentParent): AgentPort;
  /** A message to one of them by id or name: a running one reads it, an ended one goes on with it. Nothing where there is no such agent. */
  tell(parent: AgentParent, to: string, text: string, signal: AbortSignal): Promise<string | undefined>;
}

interface Start {
  readonly parent: AgentParent;
  readonly definition: AgentDefinition;
  readonly call: Pick<AgentCall, 'toolUseId' | 'description' | 'prompt' | 'model' | 'mode' | 'name' | 'skill'>;
  readonly isBackground: boolean;
  readonly isolation?: 'worktree' | undefined;
  readonly slot: Slot;
  readonly before?: AgentRecord;
}

export function createSubagents(deps: SubagentsDeps): Subagents {
  const { settings, registry, files, ids, clock } = deps;
  const slots = createAgentSlots(settings.limits, deps.startedBefore);
  const inboxes = new Map<string, Arrivals>();

  const portOf = (parent: () => AgentParent, depth: () => number): AgentPort => ({
    offersTeammates: depth() === 0 && deps.teammate !== undefined,
    offersBackground: offersBackground(settings),
    forks: settings.forkMode,
    async start(call, signal) {
      const self = parent();
      const to: Route = await route(call, {
        team: self.depth === 0 && deps.teammate ? deps.team : undefined,
        depth: self.depth,
        agents: await deps.agents(),
        denyRules: deps.denyRules(),
        tools: self.toolList,
        isFork: self.isFork === true,
        history: self.history(),
        forkMode: settings.forkMode,
        isCoordinator: settings.isCoordinator,
        background: settings.background,
        mcpServers: deps.mcpServers ?? (async () => []),
        slots,
      });
      if (to.to === 'teammate') return deps.teammate?.(call) ?? '';
      const { definition, isBackground, isolation, slot } = to;
      return start({ parent: self, definition, call, isBackground, isolation, slot }, signal);
    },
  });

  /** Starts an agent, and waits for it where it is in the foreground. Nothing of it is left when it throws. */
  async function start(request: Start, signal: AbortSignal): Promise<string> {
    const { parent, call, slot, definition } = request;
    const undo: (() => unknown)[] = [() => slot.free()];
    try {
      const { task, finished } = await launch(request, undo);
      const waited = request.isBackground ? undefined : await waitFor(task, finished, signal);
      if (waited) return resultText({ ...waited, definition, transcript: transcriptOf(waited.record.agentId ?? '') });
      const canRead = parent.tools().some(({ name }) => name === 'Read');
      return launchedText(task.record(), call.prompt, canRead);
    } catch (error) {
      await undone(undo);
      throw error;
    }
  }

  async function launch(request: Start, undo: (() => unknown)[]) {
    const { parent, definition, call, isBackground, before, slot } = request;
    if (call.name !== undefined) checkAgentName(call.name);
    const agentId = before?.agentId ?? `agent-${ids.hex(16)}`;
    const arrivals = createArrivals();
    inboxes.set(agentId, arrivals);
    undo.push(() => inboxes.delete(agentId));
    const cwd = before?.cwd ?? parent.state.cwd;
    const worktree = await workplace(request, agentId, undo);
    const leave = deps.isolation.enter(worktree?.path ?? cwd, agentId);
    undo.push(leave);
    const stop = new AbortController();
    const run = await joinSubagent(deps, {
      agentId,
      parent,
      definition,
      prompt: call.prompt,
      model: before?.model ?? call.model,
      ...{ mode: call.mode, skill: call.skill },
      worktree,
      isBackground,
      mayStartAgents: parent.depth + 1 < settings.limits.depth,
      arrivals,
      signal: stop.signal,
      agentsOf: (self) => portOf(self, () => parent.depth + 1),
      ...(before && { before: { ...before, history: await said(agentId) } }),
    });
    const record: AgentRecord = {
      ...before,
      agentId,
      ...(call.name !== undefined && { name: call.name }),
      agentType: definition.agentType,
      description: call.description,
      prompt: before?.prompt ?? call.prompt,
      model: run.model,
      mode: run.state.mode,
      cwd: run.state.cwd,
      parent: parent.id,
      depth: parent.depth + 1,
      origin: definition.sharesPrefix ? 'fork' : 'fresh',
      ...(worktree && { worktree }),
      // A fork goes on with the very bytes that its parent had then.
      ...(definition.sharesPrefix && { system: [...run.system] }),
      status: 'running',
      startedAt: clock.now(),
    };
    await files.saveAgent(record);
    undo.push(() => files.saveAgent({ ...record, status: 'failed', endedAt: clock.now() }));
    const task = await registry.begin({
      type: 'agent',
      agentId,
      name: record.name,
      toolUseId: call.toolUseId,
      description: call.description,
      backgrounded: isBackground,
    });
    task.signal.addEventListener('abort', () => stop.abort(), { once: true });
    if (task.signal.aborted) stop.abort();
    // From here on it is the agent's own end that takes back what it has.
    undo.length = 0;
    const finished = finish();
    return { task, finished };

    async function finish() {
      const { outcome, facts } = await toAgentEnd(deps, {
        ...{ record, run, task, arrivals },
        toolUseId: call.toolUseId,
        parentFolder: parent.folder,
        free() {
          leave();
          slot.free();
        },
      });
      // Until now, so that nobody begins it anew while it is still being cleared away.
      inboxes.delete(agentId);
      const unread = arrivals.take().map(({ text }) => text);
      if (unread.length > 0) goOn(parent, record, definition, unread.join('\n'), task.signal).catch(() => {});
      return { record: task.record(), outcome, facts };
    }
  }

  async function goOn(
    parent: AgentParent,
    before: AgentRecord,
    definition: AgentDefinition,
    prompt: string,
    signal: AbortSignal,
  ): Promise<string> {
    const toolUseId = `message-${ids.hex(12)}`;
    const slot = slots.take(toolUseId, before.depth);
    const { description, name } = before;
    const isBackground = settings.background === 'on';
    const call = { toolUseId, description, prompt, name };
    return start({ parent, definition, call, isBackground, slot, before }, signal);
  }

  async function workplace({ parent, isolation, before }: Start, agentId: string, undo: (() => unknown)[]) {
    if (before?.worktree) {
      await deps.isolation.reopen(before.worktree, parent.folder);
      return before.worktree;
    }
    if (isolation === undefined) return undefined;
    const { path, branch, base, hookMade } = await deps.isolation.create(agentId, parent.state.cwd);
    const worktree = { path, branch, base, ...(hookMade && { hookMade }) };
    undo.push(() => deps.isolation.release(worktree, parent.folder));
    return worktree;
  }

  /** Its end, or nothing when it was moved to the background first. */
  async function waitFor<E>(task: Task, finished: Promise<E>, signal: AbortSignal): Promise<E | undefined> {
    const over = new AbortController();
    const stop = () => task.stop();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true, signal: over.signal });
    if (settings.autoBackgroundMs !== undefined) {
      clock.sleep(settings.autoBackgroundMs, over.signal).then(
        () => task.moveToBackground(),
        () => {},
      );
    }
    try {
      return await Promise.race([finished, task.moved.then(() => undefined)]);
    } finally {
      over.abort();
    }
  }

  function checkAgentName(name: string): void {
    if (deps.isMember(name)) throw new UserError(`A member of the team is called "${name}": choose another name.`);
    if (registry.find(name)?.record().status === 'running')
      throw new UserError(`An agent called "${name}" is running: choose another name.`);
  }

  const transcriptOf = (agentId: string) => join(deps.session.agents, `${agentId}.jsonl`);

  async function said(agentId: string) {
    const { entries } = await openTranscript(transcriptOf(agentId), { ...deps, agentId }).load();
    return historyOf(entries);
  }

  return {
    portOf: (parent) => portOf(parent, () => 0),
    async tell(parent, to, text, signal) {
      const record = await files.findAgent(to);
      if (!record) return undefined;
      const definition = requireAgent(await deps.agents(), record.agentType);
      // Only now, and nothing is waited for before it is started: two messages must not start it twice.
      const inbox = inboxes.get(record.agentId);
      if (inbox) {
        inbox.add({ text: `<message>\n${text}\n</message>`, from: 'lead', mail: [], wakes: true });
        return `${record.agentId} is running: it reads your message behind its next step.`;
      }
      return goOn(parent, record, definition, text, signal);
    },
  };
}

/** In reverse order; a step that fails does not keep the others from being done. */
async function undone(steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps.toReversed())
    await Promise.resolve()
      .then(step)
      .catch(() => {});
}

function offersBackground({ background, forkMode, isCoordinator }: SubagentSettings): AgentPort['offersBackground'] {
  if (background === 'off') return 'Background tasks are switched off here: leave it out, and wait for the result.';
  if (background !== 'on') return background.refused;
  return forkMode || isCoordinator ? 'Every agent goes on in the background here: leave it out.' : true;
}
