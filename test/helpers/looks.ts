import * as z from 'zod/mini';
import { statusOf } from '../../src/app/look/status.js';
import { allTeams } from '../../src/app/look/teams.js';
import { placeOf, theWorld } from '../../src/app/services.js';
import { homeAt } from '../../src/config/paths.js';
import { openMailbox } from '../../src/mailbox/mailbox.js';
import type { Message } from '../../src/mailbox/message.js';
import { openEventLog, type TeamEvent } from '../../src/team/eventLog.js';
import { sendProse } from '../../src/team/messages.js';
import { openRequests, type RequestKind, type TeamRequest } from '../../src/team/requests.js';
import type { TeamFile } from '../../src/team/teamFile.js';
import type { Stage } from './program.js';

/** A part of what `troupe status --json` prints. */
export const Status = z.object({
  state: z.string(),
  lead: z.object({ pid: z.optional(z.number()), alive: z.boolean() }),
  tmux: z.optional(z.object({ socketPath: z.string(), serverPid: z.number() })),
  members: z.array(
    z.looseObject({
      name: z.string(),
      state: z.string(),
      pid: z.optional(z.number()),
      pane: z.optional(z.string()),
      waitingFor: z.optional(z.string()),
      requestId: z.optional(z.string()),
      color: z.optional(z.string()),
      worktree: z.optional(z.string()),
      backend: z.optional(z.string()),
    }),
  ),
});
export type Status = z.infer<typeof Status>;

/**
 * What commands that look at a team, or say something to it, do: without starting a program, of which a test that waits
 * would need many. That the shipped program does the same is for test/e2e/cli-*.test.ts.
 */
export interface Looks {
  /** As `troupe status --json` has it. */
  status(team?: string): Promise<Status>;
  /** Each team and its state: `red running`. */
  teams(): Promise<string[]>;
  /** What lies in an inbox, oldest first. */
  mail(member: string): Promise<Message[]>;
  /** The requests that wait for a person, oldest first. */
  asked(kind: RequestKind): Promise<TeamRequest[]>;
  events(): Promise<TeamEvent[]>;
  /** Says something to a member in the user's name. */
  tell(member: string, text: string): Promise<void>;
}

export function looksInto({ home }: Pick<Stage, 'home'>): Looks {
  const world = { ...theWorld(), home: homeAt(home) };
  /** As commands choose it, but that a `$TROUPE_TEAM` in which the tests themselves run is no matter. */
  const chosen = async (name?: string): Promise<TeamFile> => {
    const { teams } = await allTeams(world);
    const running = teams.filter(({ state }) => state === 'running' || state === 'starting');
    const choice = teams.filter((team) => team.name === name);
    const [team, ...others] = name !== undefined ? choice : running.length > 0 ? running : teams;
    if (!team || others.length > 0) throw new Error(`Not one team: ${teams.map((other) => other.name).join(', ')}`);
    return team;
  };
  const place = async () => placeOf(world, (await chosen()).name);
  return {
    status: async (team) => Status.parse(JSON.parse(JSON.stringify(await statusOf(world, await chosen(team))))),
    teams: async () => (await allTeams(world)).teams.map(({ name, state }) => `${name} ${state}`),
    async mail(member) {
      const { paths, clock, ids } = await place();
      return openMailbox({ team: paths, member, clock, ids }).peek();
    },
    async asked(kind) {
      const { paths, clock } = await place();
      return (await openRequests(paths.requests, clock).open()).filter((request) => request.kind === kind);
    },
    async events() {
      const { paths, clock } = await place();
      return openEventLog(paths.events, clock).read(0);
    },
    async tell(to, text) {
      const team = await chosen();
      const { failed } = await sendProse(placeOf(world, team.name), team, { from: 'user' }, { to, text });
      if (failed.length > 0) throw new Error(JSON.stringify(failed));
    },
  };
}
