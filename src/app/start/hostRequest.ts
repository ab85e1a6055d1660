import * as z from 'zod/mini';
import { isAlive, thisProcess } from '../../host/processes.js';
import type { PayloadOf } from '../../mailbox/message.js';
import { PermissionMode } from '../../permissions/mode.js';
import { openEventLog, TeamEvent } from '../../team/eventLog.js';
import { LEAD, requireMember } from '../../team/member.js';
import { sendProtocol, type TeamPlace } from '../../team/messages.js';
import { paneOf } from '../../team/shutdown.js';
import type { StartedMember } from '../../team/start/lifecycle.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { ExitCode, messageOf, UserError } from '../../util/errors.js';
import { placeOf, type World } from '../services.js';
import { dropEnvironment, type Environment, sendEnvironment, takeEnvironment } from './laterEnvironment.js';
import type { KeptWorktree } from './worktrees.js';

export interface Added extends StartedMember {
  /** Of the dead member whose slot it was. */
  readonly leftWorktree?: KeptWorktree;
}

const text = z.optional(z.string());

/** A member that only the process of its lead can start, as another shell asks for it. */
const HostRequest = z.discriminatedUnion('what', [
  z.object({
    what: z.literal('add'),
    wish: z.object({
      name: z.string(),
      agent: text,
      model: text,
      mode: z.optional(PermissionMode),
      plan: z.optional(z.boolean()),
      worktree: z.optional(z.boolean()),
      cwd: text,
      color: text,
      prompt: text,
      requestId: text,
    }),
    /** Whose definitions count, and from where `wish.cwd` is looked for. Absolute. */
    cwd: z.string(),
  }),
  z.object({ what: z.literal('restart'), name: z.string() }),
]);
export type HostRequest = z.infer<typeof HostRequest>;

const Kept = z.object({ member: z.string(), path: z.string(), branch: z.string(), why: z.array(z.string()) });

/** What the event log says of a request, under its id. */
const BEGUN = 'member_start_begun';
const Done = z.extend(TeamEvent, {
  type: z.literal('member_start_done'),
  name: z.string(),
  movedMail: z.number(),
  leftWorktree: z.optional(Kept),
});
const Failed = z.extend(TeamEvent, {
  type: z.literal('member_start_failed'),
  problem: z.string(),
  exitCode: z.catch(z.enum(ExitCode), ExitCode.failed),
});

/** A lead that looks at its mail begins at once. */
const BEGINS_WITHIN_MS = 15_000;
const LOOK_MS = 50;

/**
 * Has the process of the lead start a member, with this environment. @throws UserError as it has failed there, or when
 * nobody there answers.
 */
export async function askHost(
  world: World,
  team: TeamFile,
  asked: HostRequest,
  environment: Environment,
): Promise<Added> {
  const place = placeOf(world, team.name);
  const next = openEventLog(place.paths.events, place.clock).follow();
  await next();
  const request_id = place.ids.uuid();
  await sendEnvironment(place.paths, request_id, environment);
  try {
    const asker = await thisProcess();
    await sendProtocol(place, { from: 'user' }, LEAD, 'member_start', { request_id, asker, asked });
    return await answerOf(place, team, request_id, next);
  } finally {
    await dropEnvironment(place.paths, request_id);
  }
}

async function answerOf(
  { paths, clock }: TeamPlace,
  team: TeamFile,
  request_id: string,
  next: () => Promise<readonly TeamEvent[]>,
): Promise<Added> {
  let begunBy = clock.monotonic() + BEGINS_WITHIN_MS;
  for (;;) {
    const isHostAlive = team.leadProcess !== undefined && (await isAlive(team.leadProcess));
    for (const event of await next()) {
      if (event['id'] !== request_id) continue;
      if (event.type === BEGUN) begunBy = Number.POSITIVE_INFINITY;
      const failed = Failed.safeParse(event);
      if (failed.success) throw new UserError(failed.data.problem, failed.data.exitCode);
      const done = Done.safeParse(event);
      if (done.success) return startedAs(paths.config, done.data);
    }
    const host = `The lead of "${team.name}" (process ${team.leadProcess?.pid}), in whose process its members run,`;
    if (!isHostAlive)
      throw new UserError(`${host} ended before it was done. See: troupe status ${team.name}`, ExitCode.failed);
    if (clock.monotonic() > begunBy)
      throw new UserError(`${host} does not answer. Is it stopped? See: troupe status ${team.name}`, ExitCode.failed);
    await clock.sleep(LOOK_MS);
  }
}

async function startedAs(config: string, { name, movedMail, leftWorktree }: z.infer<typeof Done>): Promise<Added> {
  const member = requireMember(await openTeamFile(config).require(), name);
  return { member, pane: paneOf(member), movedMail, ...(leftWorktree && { leftWorktree }) };
}

/** Starts, in the process of a lead, what other shells ask for. */
export interface HostStarts {
  ask(request: PayloadOf<'member_start'>): void;
  /** Waits for those that have begun, and begins no more. */
  close(): Promise<void>;
}

export function createHostStarts(
  world: World,
  team: string,
  start: (asked: HostRequest, environment: Environment) => Promise<Added>,
): HostStarts {
  const place = placeOf(world, team);
  const events = openEventLog(place.paths.events, place.clock);
  const running = new Set<Promise<void>>();
  let isClosed = false;

  async function carryOut({ request_id: id, asker, asked }: PayloadOf<'member_start'>): Promise<void> {
    // Its shell has given up, and says so to nobody any more.
    if (!(await isAlive(asker))) return dropEnvironment(place.paths, id);
    try {
      if (isClosed) throw new UserError(`The team "${team}" is just ending.`, ExitCode.failed);
      const environment = await takeEnvironment(place.paths, id);
      await events.append(BEGUN, { id });
      const { member, movedMail, leftWorktree } = await start(HostRequest.parse(asked), environment);
      const { name } = member;
      await events.append('member_start_done', { id, name, movedMail, ...(leftWorktree && { leftWorktree }) });
    } catch (error) {
      const exitCode = error instanceof UserError ? error.exitCode : ExitCode.failed;
      await events.append('member_start_failed', { id, problem: messageOf(error), exitCode });
    }
  }

  return {
    ask(request) {
      const work = carryOut(request)
        .catch(() => {})
        .finally(() => running.delete(work));
      running.add(work);
    },
    async close() {
      isClosed = true;
      await Promise.all(running);
    },
  };
}
