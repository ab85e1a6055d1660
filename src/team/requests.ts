import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Clock } from '../host/clock.js';
import { isUuid } from '../host/ids.js';
import { PermissionMode } from '../permissions/mode.js';
import { readJson, toJson } from '../store/jsonFile.js';
import { createExclusive } from '../store/spool.js';
import { hasCode, messageOf, UserError } from '../util/errors.js';
import { oneLine } from '../util/text.js';

export const RequestKind = z.enum(['plan', 'permission']);
export type RequestKind = z.infer<typeof RequestKind>;

/** What a member asks and waits for. Times are milliseconds since the epoch. */
export const TeamRequest = z.object({
  /** UUID */
  id: z.string(),
  kind: RequestKind,
  from: z.string(),
  createdAt: z.number(),
  /** The asker's generation. */
  generation: z.optional(z.number()),
  plan: z.optional(z.string()),
  planPath: z.optional(z.string()),
  tool: z.optional(z.string()),
  input: z.optional(z.unknown()),
  description: z.optional(z.string()),
  /** What a file would look like, as a difference; absent where the input says all. */
  preview: z.optional(z.string()),
  suggestions: z.optional(z.array(z.unknown())),
});
export type TeamRequest = z.infer<typeof TeamRequest>;

/** The rules that always would write for the whole team. */
export function suggestedRules({ suggestions = [] }: Pick<TeamRequest, 'suggestions'>): string[] {
  return suggestions.flatMap((suggestion) =>
    typeof suggestion === 'object' && suggestion !== null && 'rule' in suggestion && typeof suggestion.rule === 'string'
      ? [suggestion.rule]
      : [],
  );
}

/** The command that a call is asked for with, where one line of `max` characters about it would hide some of it. */
export function hiddenCommand({ input, description = '' }: TeamRequest, max: number): string | undefined {
  const command = typeof input === 'object' && input !== null && 'command' in input ? input.command : undefined;
  if (typeof command !== 'string' || oneLine(description, max).includes(command.trim())) return undefined;
  return command.trim();
}

/** The one answer to a request. */
export const Answer = z.object({
  id: z.string(),
  at: z.number(),
  /** A member's name, or `user`. */
  by: z.string(),
  approve: z.boolean(),
  feedback: z.optional(z.string()),
  mode: z.optional(PermissionMode),
  rules: z.optional(z.array(z.string())),
  message: z.optional(z.string()),
  updatedInput: z.optional(z.unknown()),
});
export type Answer = z.infer<typeof Answer>;

/** A team's requests. The files are the truth; mail only tells of them. */
export interface Requests {
  create(request: Omit<TeamRequest, 'createdAt'>): Promise<TeamRequest>;
  get(id: string): Promise<TeamRequest | undefined>;
  /** Those without an answer, oldest first. A file that cannot be read is left out: see `broken`. */
  open(): Promise<TeamRequest[]>;
  /** Answered ones too, oldest first; without those that cannot be read. */
  all(): Promise<TeamRequest[]>;
  broken(): Promise<{ path: string; reason: string }[]>;
  /** The first answer wins. @throws UserError that says who has answered what already. */
  answer(answer: Omit<Answer, 'at'>): Promise<Answer>;
  answerOf(id: string): Promise<Answer | undefined>;
  /** The open request that an id, or the beginning of one, means. @throws UserError that lists what waits. */
  find(idOrPrefix: string, kind: RequestKind): Promise<TeamRequest>;
}

/** The requests in `dir`, which must exist for them to be made. */
export function openRequests(dir: string, clock: Clock): Requests {
  const requestFile = (id: string) => join(dir, `${checkId(id)}.json`);
  const answerFile = (id: string) => join(dir, `${checkId(id)}.answer.json`);
  const get = (id: string) => readJson(requestFile(id), TeamRequest);
  const answerOf = (id: string) => readJson(answerFile(id), Answer);

  const readAll = async (isWanted: (id: string, names: ReadonlySet<string>) => boolean) => {
    const names = new Set(await namesIn(dir));
    const ids = [...names].map((name) => name.replace(/\.json$/, '')).filter((id) => isUuid(id) && isWanted(id, names));
    const readable: TeamRequest[] = [];
    const broken: { path: string; reason: string }[] = [];
    for (const id of ids) {
      try {
        const request = await get(id);
        if (request) readable.push(request);
      } catch (error) {
        broken.push({ path: requestFile(id), reason: messageOf(error) });
      }
    }
    return { readable: readable.sort((a, b) => a.createdAt - b.createdAt || a.id.localeCompare(b.id)), broken };
  };
  const unanswered = () => readAll((id, names) => !names.has(`${id}.answer.json`));

  return {
    get,
    answerOf,
    open: async () => (await unanswered()).readable,
    all: async () => (await readAll(() => true)).readable,
    broken: async () => (await unanswered()).broken,
    async create(request) {
      const created = TeamRequest.parse({ ...request, createdAt: clock.now() });
      if (!(await createExclusive(requestFile(request.id), toJson(created))))
        throw new UserError(`There is a request ${request.id} already.`);
      return created;
    },
    async answer(given) {
      const request = await get(given.id);
      if (!request) throw new UserError(`There is no request ${given.id}.`);
      const answer = Answer.parse({ ...given, at: clock.now() });
      if (!(await createExclusive(answerFile(given.id), toJson(answer))))
        throw new UserError(answeredWords(request, await answerOf(given.id)));
      return answer;
    },
    async find(word, kind) {
      const prefix = word.trim().toLowerCase();
      const open = (await unanswered()).readable.filter((request) => request.kind === kind);
      const matching = prefix === '' ? [] : open.filter(({ id }) => id.toLowerCase().startsWith(prefix));
      const [match] = matching;
      if (match && matching.length === 1) return match;
      if (matching.length > 1)
        throw new UserError(
          `${JSON.stringify(word)} means more than one ${kind} request: ${listed(matching)}. Give more of the id.`,
        );
      const answered = isUuid(prefix) ? await get(prefix) : undefined;
      if (answered?.kind === kind) throw new UserError(answeredWords(answered, await answerOf(prefix)));
      throw new UserError(
        `No open ${kind} request ${JSON.stringify(word)}. ${open.length === 0 ? 'None waits.' : `Waiting: ${listed(open)}.`}`,
      );
    },
  };
}

function checkId(id: string): string {
  if (!isUuid(id)) throw new UserError(`${JSON.stringify(id)} is not the id of a request: it must be a UUID.`);
  return id;
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function answeredWords({ id, kind, from }: TeamRequest, answer: Answer | undefined): string {
  const verdict = answer?.approve ? 'approved' : kind === 'plan' ? 'rejected' : 'denied';
  return `The ${kind} request ${id} of ${from} was ${verdict} already, by ${answer?.by ?? 'somebody'}. The first answer counts.`;
}

function listed(requests: readonly TeamRequest[]): string {
  return requests.map(({ id, from }) => `${id} (${from})`).join(', ');
}
