import { basename, dirname } from 'node:path';
import * as z from 'zod/mini';
import { PermissionMode } from '../permissions/mode.js';
import { writeAtomic } from '../store/atomicFile.js';
import { fingerprint } from '../store/fingerprint.js';
import { readJson, toJson } from '../store/jsonFile.js';
import { LockLostError, withLock } from '../store/lock.js';
import { onceChanged } from '../store/onceChanged.js';
import { createExclusive } from '../store/spool.js';
import { hasCode, UserError } from '../util/errors.js';
import { isSameName } from '../util/names.js';
import type { Worktree } from '../worktree/worktree.js';
import { TeamSettings } from './start/launch.js';

/** A member as the TeamFile has it; what it does is in its run record. Times are milliseconds since the epoch. */
export const Member = z.looseObject({
  /** `<name>@<team>` */
  agentId: z.string(),
  name: z.string(),
  agentType: z.optional(z.string()),
  /** Concrete, never the word `inherit`. */
  model: z.optional(z.string()),
  prompt: z.optional(z.string()),
  color: z.optional(z.string()),
  planModeRequired: z.optional(z.boolean()),
  joinedAt: z.number(),
  /** `%N`, `in-process`, or empty. */
  tmuxPaneId: z.string(),
  windowId: z.optional(z.string()),
  ownsPane: z.optional(z.boolean()),
  /** Absolute. */
  cwd: z.string(),
  worktreePath: z.optional(z.string()),
  worktreeBranch: z.optional(z.string()),
  /** The commit that its worktree began from. */
  worktreeBase: z.optional(z.string()),
  /** It held nothing when its team was taken down, and was removed. */
  worktreeRemoved: z.optional(z.boolean()),
  /** A hook made it, not git. */
  worktreeHookMade: z.optional(z.boolean()),
  sessionId: z.optional(z.string()),
  /** Reserved. */
  subscriptions: z._default(z.array(z.string()), []),
  backendType: z.optional(z.enum(['tmux', 'iterm2', 'in-process'])),
  /** The program that runs it: `troupe` (the default) or another. */
  runtime: z.optional(z.string()),
  mode: z.optional(PermissionMode),
  /** The mode that its approved plan leads to, where one is required. */
  modeAfterPlan: z.optional(PermissionMode),
  /** It was asked to end, and did: who comes back to the team leaves it alone. */
  dismissed: z.optional(z.boolean()),
  /** In place of its definition's list. */
  tools: z.optional(z.array(z.string())),
  /** Which run of this member it is, from 1. */
  generation: z.optional(z.number()),
  /** Whoever is starting it, until it is ready. */
  reservedBy: z.optional(z.object({ pid: z.number(), procStart: z.string() })),
  /** The request that started it: the same one never starts two. */
  requestId: z.optional(z.string()),
});
export type Member = z.infer<typeof Member>;

/** `teams/<team>/config.json`. Fields that this version does not know are kept on rewrite. */
export const TeamFile = z.looseObject({
  name: z.string(),
  description: z.optional(z.string()),
  createdAt: z.number(),
  /** Up by one on each write. */
  rev: z.optional(z.number()),
  leadAgentId: z.string(),
  leadSessionId: z.optional(z.string()),
  /** Whose team it is. */
  leadProcess: z.optional(
    z.looseObject({
      pid: z.number(),
      procStart: z.string(),
      claimedAt: z.number(),
      /** It takes the team down: nobody joins any more. */
      ends: z.optional(z.boolean()),
    }),
  ),
  /** The server in which `%` ids mean something. */
  tmux: z.optional(
    z.looseObject({
      socketPath: z.string(),
      serverPid: z.number(),
      serverStart: z.string(),
      sessionId: z.string(),
      ownsServer: z.boolean(),
    }),
  ),
  hiddenPaneIds: z.optional(z.array(z.string())),
  /** Absolute directories in which a tool is allowed to every member. */
  teamAllowedPaths: z.optional(
    z.array(z.looseObject({ path: z.string(), toolName: z.string(), addedBy: z.string(), addedAt: z.number() })),
  ),
  /** Rules added while the team runs. */
  teamRules: z.optional(
    z.array(
      z.looseObject({
        behavior: z.enum(['allow', 'ask', 'deny']),
        rule: z.string(),
        addedBy: z.string(),
        addedAt: z.number(),
      }),
    ),
  ),
  template: z.optional(z.string()),
  layout: z.optional(z.enum(['panes', 'windows'])),
  /** What holds for every member, for those that are started later. */
  settings: z.optional(TeamSettings),
  /** Who decides on plans. */
  approver: z.optional(z.enum(['lead', 'human'])),
  /** The lead is one of them. */
  members: z.array(Member),
});
export type TeamFile = z.infer<typeof TeamFile>;

export interface TeamFileStore {
  /** Cheap to ask again and again while the file stays the same: then what it returned before is returned. */
  read(): Promise<TeamFile | undefined>;
  /** @throws UserError where there is no such team. */
  require(): Promise<TeamFile>;
  /** @throws UserError where there is one already. */
  create(team: TeamFile): Promise<TeamFile>;
  /** The only way to change it: `change` sees the newest state and may be called again. @throws UserError where there is no such team. */
  update(change: (team: TeamFile) => TeamFile | Promise<TeamFile>): Promise<TeamFile>;
}

/** The file was written by somebody who does not hold the lock (any more). */
class Moved extends Error {}

const MOST_TRIES = 20;

/** What a person can do about a TeamFile that cannot be read. */
export function mendTeamFile(path: string): string {
  return `Mend the file, or move the folder ${dirname(path)} elsewhere: then the name is free, and members that still run end by themselves.`;
}

/** The TeamFile at `path`, whose folder must exist. */
export function openTeamFile(path: string): TeamFileStore {
  const team = basename(dirname(path));
  const known = onceChanged<TeamFile | undefined>();
  const readNow = async () => {
    try {
      return await readJson(path, TeamFile);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`${error.message}\n${mendTeamFile(path)}`, error.exitCode, { cause: error });
    }
  };
  const read = async () => known(fingerprint(path) ?? '', readNow);
  const orThrow = (found: TeamFile | undefined): TeamFile => {
    if (!found) throw new UserError(`There is no team "${team}": no file ${path}. See troupe ls.`);
    return found;
  };
  const require = async () => orThrow(await read());
  const requireNow = async () => orThrow(await readNow());

  const tryToUpdate = async (change: (team: TeamFile) => TeamFile | Promise<TeamFile>): Promise<TeamFile> => {
    await requireNow();
    return withLock(path, async (stillOurs) => {
      const before = await requireNow();
      const next = TeamFile.parse({ ...(await change(before)), rev: revOf(before) + 1 });
      const beforeRename = async () => {
        stillOurs();
        if (revOf(await requireNow()) !== revOf(before)) throw new Moved(`${path} was changed by another process.`);
      };
      await writeAtomic(path, toJson(next), { beforeRename });
      return next;
    });
  };

  return {
    read,
    require,
    async create(created) {
      const first = TeamFile.parse({ ...created, rev: revOf(created) + 1 });
      if (!(await createExclusive(path, toJson(first)))) {
        throw new UserError(`There is a team "${team}" already. Choose another --name, or see troupe status ${team}.`);
      }
      return first;
    },
    async update(change) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await tryToUpdate(change);
        } catch (error) {
          if (hasCode(error, 'ENOENT')) await requireNow();
          const mayPass = error instanceof Moved || error instanceof LockLostError;
          if (!mayPass || attempt === MOST_TRIES) throw error;
        }
      }
    },
  };
}

function revOf({ rev = 0 }: TeamFile): number {
  return rev;
}

/** The worktree that a member has of its own. */
export function worktreeOf({
  worktreePath,
  worktreeBranch,
  worktreeBase,
  worktreeHookMade,
}: Member): Worktree | undefined {
  if (worktreePath === undefined) return undefined;
  const made = { path: worktreePath, branch: worktreeBranch ?? '', base: worktreeBase ?? '' };
  return worktreeHookMade ? { ...made, hookMade: true } : made;
}

/** With this member in its slot, or behind the others. */
export function withMember(team: TeamFile, member: Member): TeamFile {
  const isKnown = team.members.some(({ name }) => isSameName(name, member.name));
  return isKnown ? changeMember(team, member.name, () => member) : { ...team, members: [...team.members, member] };
}

export function withoutMember(team: TeamFile, name: string): TeamFile {
  return { ...team, members: team.members.filter((member) => !isSameName(member.name, name)) };
}

export function changeMember(team: TeamFile, name: string, change: (member: Member) => Member): TeamFile {
  return { ...team, members: team.members.map((member) => (isSameName(member.name, name) ? change(member) : member)) };
}
