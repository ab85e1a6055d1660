import type { Arrival } from '../../../src/agent/arrivals.js';
import {
  createTaskRegistry,
  type NewTask,
  type TaskEvent,
  type TaskStore,
} from '../../../src/agent/background/background.js';
import type { TaskRecord } from '../../../src/agent/background/taskRecord.js';
import { type Clock, within } from '../../../src/host/clock.js';
import { systemIds } from '../../../src/host/ids.js';

/** A registry whose disk is in memory. */
export function taskBench(clock: Clock, given: Partial<TaskStore> = {}) {
  const saved = new Map<string, TaskRecord>();
  const outputs = new Map<string, string>();
  const notices = new Map<string, string>();
  const arrivals: Arrival[] = [];
  const events: TaskEvent[] = [];
  const problems: string[] = [];
  const store: TaskStore = {
    save: async (record) => void saved.set(record.id, record),
    load: async (id) => saved.get(id),
    openOutput: async (id) => ({
      path: `/out/${id}`,
      write: (text) => void outputs.set(id, (outputs.get(id) ?? '') + text),
      lastLines: () => [],
      finish: async (text) => void outputs.set(id, `${outputs.get(id) ?? ''}${text}`),
      putFirst: async (text) => void outputs.set(id, `${text}\n\n${outputs.get(id) ?? ''}`),
    }),
    keepNotice: async (id, text) => void notices.set(id, text),
    dropNotice: async (id) => void notices.delete(id),
    ...given,
  };
  const registry = createTaskRegistry({
    clock,
    within,
    ids: systemIds,
    store,
    tell: (arrival) => arrivals.push(arrival),
    onEvent: (event) => events.push(event),
    onProblem: (problem) => problems.push(problem),
  });
  return { registry, saved, outputs, notices, arrivals, events, problems };
}

export const AGENT: NewTask = {
  type: 'agent',
  agentId: 'agent-1',
  toolUseId: 'toolu_1',
  description: 'look around',
  backgrounded: true,
};

/** The text of a tag of a notice. */
export function fieldOf(notice: string | undefined, tag: string): string | undefined {
  return new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(notice ?? '')?.[1];
}
