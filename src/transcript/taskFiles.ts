import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { PermissionMode } from '../permissions/mode.js';
import { writeAtomic } from '../store/atomicFile.js';
import { readJson, writeJson } from '../store/jsonFile.js';
import { hasCode, UserError } from '../util/errors.js';

export const TaskStatus = z.enum(['running', 'completed', 'partial', 'failed', 'killed', 'timed_out']);

/** A task's record: `tasks/<id>.json` of its session. Times are milliseconds since the epoch. */
export const TaskRecord = z.looseObject({
  id: z.string(),
  type: z.enum(['agent', 'shell', 'dream']),
  agentId: z.optional(z.string()),
  name: z.optional(z.string()),
  toolUseId: z.string(),
  description: z.string(),
  status: TaskStatus,
  backgrounded: z.boolean(),
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
  progress: z.object({
    latestInputTokens: z.number(),
    outputTokens: z.number(),
    toolUses: z.number(),
    recentActivities: z.array(z.string()),
    lastActivity: z.optional(z.string()),
    summary: z.optional(z.string()),
  }),
  notified: z.boolean(),
  result: z.optional(z.string()),
  error: z.optional(z.string()),
  outputFile: z.string(),
});
export type TaskRecord = z.infer<typeof TaskRecord>;

/** A sub-agent's record: `agents/<agent id>.json` of its session, beside its sidechain. */
export const AgentRecord = z.looseObject({
  agentId: z.string(),
  name: z.optional(z.string()),
  agentType: z.string(),
  description: z.string(),
  prompt: z.string(),
  model: z.string(),
  mode: PermissionMode,
  cwd: z.string(),
  /** Whose agent it is: a member's name, or an agent's id. */
  parent: z.string(),
  depth: z.number(),
  origin: z.enum(['fresh', 'fork']),
  worktree: z.optional(
    z.object({ path: z.string(), branch: z.string(), base: z.string(), hookMade: z.optional(z.boolean()) }),
  ),
  /** A fork's system prompt: that of its parent at the time, byte for byte. */
  system: z.optional(z.array(z.string())),
  status: TaskStatus,
  startedAt: z.number(),
  endedAt: z.optional(z.number()),
});
export type AgentRecord = z.infer<typeof AgentRecord>;

/** The folders of a session that tasks are in, all of them existing. */
export interface TaskFolders {
  readonly agents: string;
  readonly tasks: string;
  readonly notices: string;
}

const Notice = z.object({ id: z.string(), text: z.string() });
export type Notice = z.infer<typeof Notice>;

/** The records and notices of one session's tasks. Written by the session's own process alone. */
export function openTaskFiles(folders: TaskFolders) {
  const task = (id: string) => join(folders.tasks, `${checked(id)}.json`);
  const agent = (id: string) => join(folders.agents, `${checked(id)}.json`);
  const notice = (id: string) => join(folders.notices, `${checked(id)}.json`);
  const agents = () => recordsIn(folders.agents, AgentRecord);
  return {
    saveTask: (record: TaskRecord) => writeJson(task(record.id), TaskRecord.parse(record)),
    tasks: () => recordsIn(folders.tasks, TaskRecord),
    saveAgent: (record: AgentRecord) => writeJson(agent(record.agentId), AgentRecord.parse(record)),
    agents,
    /** By its id, or the newest of that name. */
    async findAgent(idOrName: string): Promise<AgentRecord | undefined> {
      const known = await agents();
      const named = known.filter(({ name }) => name === idOrName).sort((a, b) => a.startedAt - b.startedAt);
      return known.find(({ agentId }) => agentId === idOrName) ?? named.at(-1);
    },
    /** On disk when it returns: it is delivered however this process ends. */
    keepNotice: (id: string, text: string) => writeAtomic(notice(id), `${JSON.stringify({ id, text })}\n`),
    notices: () => recordsIn(folders.notices, Notice),
    dropNotice: (id: string) => rm(notice(id), { force: true }),
  };
}

export type TaskFiles = ReturnType<typeof openTaskFiles>;

/** How many tasks of a session are not over for its conversation: they run, or their notice is on its way. */
export async function openTasksIn(folders: TaskFolders): Promise<number> {
  const files = openTaskFiles(folders);
  const [tasks, notices] = await Promise.all([files.tasks(), files.notices()]);
  const open = tasks.filter(({ backgrounded, notified }) => backgrounded && !notified).map(({ id }) => id);
  return new Set([...open, ...notices.map(({ id }) => id)]).size;
}

/** Every record of a folder, by age of its name; one that is broken is left out. */
async function recordsIn<S extends z.ZodMiniType>(folder: string, schema: S): Promise<z.output<S>[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  const records = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) =>
        readJson(join(folder, name), schema).catch((error: unknown) => {
          if (error instanceof UserError) return undefined;
          throw error;
        }),
      ),
  );
  return records.filter((record) => record !== undefined);
}

/** Ids come from models too. @throws UserError for what would leave the folder. */
function checked(id: string): string {
  if (/^[\w-]+$/.test(id)) return id;
  throw new UserError(`${JSON.stringify(id)} is not the id of a task or an agent.`);
}
