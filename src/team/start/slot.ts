import { isAlive, type ProcessRef, thisProcess } from '../../host/processes.js';
import type { PermissionMode } from '../../permissions/mode.js';
import { ExitCode, UserError } from '../../util/errors.js';
import { isSameName } from '../../util/names.js';
import { agentIdOf, findMember, nextColor } from '../member.js';
import type { TeamPlace } from '../messages.js';
import { hasEnded, liveRecord, readRunRecord } from '../runRecord.js';
import { type Member, openTeamFile, type TeamFile, withMember } from '../teamFile.js';
import { LONGEST_MS } from './patience.js';

/** A member to be, already validated: the agent type exists, the model is concrete, the mode is within the lead's. */
export interface MemberRequest {
  readonly name: string;
  readonly role?: 'lead' | 'teammate';
  readonly agentType: string;
  /** In place of its definition's list. */
  readonly tools?: readonly string[] | undefined;
  readonly model: string;
  readonly mode: PermissionMode;
  /** Set when its plan must be approved first: the mode it has afterwards. */
  readonly modeAfterPlan?: PermissionMode | undefined;
  readonly color?: string | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly worktree?: boolean;
  /** Its first message; without one it waits. */
  readonly prompt?: string | undefined;
  readonly promptFrom?: string;
  /** Of the call or command that asks: the same one never starts two members. */
  readonly requestId?: string | undefined;
  /** A restart: the dead member's mail, session and worktree go on. */
  readonly continues?: boolean;
  /** Its pane is put away. */
  readonly isHidden?: boolean | undefined;
}

export interface Slot {
  readonly member: Member;
  /** The dead namesake whose slot it was. */
  readonly previous: Member | undefined;
  /** The same request was here before: `member` is the one that it started. */
  readonly isRepeat: boolean;
}

/** How often a repeated request looks whether the first one is through. */
const REPEAT_MS = 25;
/** How long a lead may take to write down a member that runs already: until it is ready, and a few looks. */
const SETTLED_MS = LONGEST_MS + 5000;

/** Writes a member that is about to be started into the TeamFile. @throws UserError when one of that name lives. */
export async function reserveSlot(place: TeamPlace, request: MemberRequest): Promise<Slot> {
  for (;;) {
    const found = await findSlot(place, request);
    if ('isRepeat' in found) return found;
    const [member] = await reserve(place, [{ request, found }]);
    if (member) return { member, previous: found.previous, isRepeat: false };
  }
}

/** The same for several at once, in their order. @throws UserError when one of them lives; none is written then. */
export async function reserveSlots(place: TeamPlace, requests: readonly MemberRequest[]): Promise<Slot[]> {
  const wanted = await Promise.all(
    requests.map(async (request) => ({ request, found: await findSlot(place, request) })),
  );
  const free = wanted.flatMap(({ request, found }) => ('isRepeat' in found ? [] : [{ request, found }]));
  const members = await reserve(place, free);
  const slots: Slot[] = [];
  for (const { request, found } of wanted) {
    const index = free.findIndex((other) => other.request === request);
    const member = members[index];
    if ('isRepeat' in found) slots.push(found);
    // A rival was quicker.
    else if (member === undefined) slots.push(await reserveSlot(place, request));
    else slots.push({ member, previous: found.previous, isRepeat: false });
  }
  return slots;
}

/** What of the TeamFile a slot depends on. */
interface Found {
  readonly previous: Member | undefined;
  /** What the same request has left. */
  readonly repeated: Member | undefined;
}

/** @throws UserError when a member of that name lives. */
async function findSlot(place: TeamPlace, request: MemberRequest): Promise<Slot | Found> {
  const file = openTeamFile(place.paths.config);
  const until = place.clock.monotonic() + SETTLED_MS;
  for (;;) {
    const team = await file.require();
    const repeated = ofRequest(team, request.requestId);
    if (repeated && !repeated.reservedBy) return { member: repeated, previous: repeated, isRepeat: true };
    if (repeated?.reservedBy && (await isAlive(repeated.reservedBy))) {
      await place.clock.sleep(REPEAT_MS);
      continue;
    }
    // Its starter died when it ran already: its lead is about to write it down.
    if (repeated?.reservedBy && place.clock.monotonic() < until && (await isOccupied(place, repeated))) {
      await place.clock.sleep(REPEAT_MS);
      continue;
    }
    const previous = findMember(team, request.name);
    if (previous && (await isOccupied(place, previous))) {
      throw new UserError(
        `There is a living member "${previous.name}" in ${team.name} already. Choose another name, or end it with: troupe shutdown ${previous.name} -t ${team.name}`,
      );
    }
    return { previous, repeated };
  }
}

/** The members as they are written then; nothing for one whose slot is another by now. */
async function reserve(
  place: TeamPlace,
  wanted: readonly { readonly request: MemberRequest; readonly found: Found }[],
): Promise<(Member | undefined)[]> {
  const reservedBy = await thisProcess();
  let reserved: (Member | undefined)[] = [];
  await openTeamFile(place.paths.config).update(async (team) => {
    await refuseEnding(team, reservedBy);
    let current = team;
    reserved = [];
    for (const { request, found } of wanted) {
      // Made of what the lock guards: those that start at once get different colours, and one of two rivals the slot.
      const isFree = await isStillFree(place, current, request, found);
      const member = isFree ? newMember(place, request, current, found.previous, reservedBy) : undefined;
      if (member) current = withMember(current, member);
      reserved.push(member);
    }
    return current;
  });
  return reserved;
}

/** Whoever takes a team down has looked already who is to end with it. */
async function refuseEnding({ name, leadProcess }: TeamFile, self: ProcessRef): Promise<void> {
  if (!leadProcess?.ends || leadProcess.pid === self.pid || !(await isAlive(leadProcess))) return;
  throw new UserError(`The team "${name}" is just being taken down, by process ${leadProcess.pid}.`, ExitCode.failed);
}

/** Under the TeamFile's lock, which a process whose starter died takes as well before it says that it runs. */
async function isStillFree(
  place: TeamPlace,
  team: TeamFile,
  { name, requestId }: MemberRequest,
  { previous, repeated }: Found,
): Promise<boolean> {
  if (!isSameSlot(findMember(team, name), previous) || !isSameSlot(ofRequest(team, requestId), repeated)) return false;
  return previous === undefined || !(await isOccupied(place, previous));
}

/** Undoes `reserveSlot`. */
export async function giveBackSlot(place: TeamPlace, member: Member, previous: Member | undefined): Promise<void> {
  await openTeamFile(place.paths.config).update((team) => ({
    ...team,
    members: team.members.flatMap((other) =>
      isSameName(other.name, member.name) && isSameSlot(other, member) ? (previous ? [previous] : []) : [other],
    ),
  }));
}

function ofRequest({ members }: TeamFile, requestId: string | undefined): Member | undefined {
  return requestId === undefined ? undefined : members.find((member) => member.requestId === requestId);
}

function newMember(
  { clock, ids }: TeamPlace,
  request: MemberRequest,
  team: TeamFile,
  previous: Member | undefined,
  reservedBy: ProcessRef,
): Member {
  const used = team.members.flatMap(({ color }) => (color ? [color] : []));
  const name = previous?.name ?? request.name;
  const before = request.continues ? previous : undefined;
  const prompt = before?.prompt ?? request.prompt;
  const requestId = before?.requestId ?? request.requestId;
  return {
    agentId: agentIdOf(name, team.name),
    name,
    agentType: request.agentType,
    model: request.model,
    ...(prompt !== undefined && { prompt }),
    color: request.color ?? previous?.color ?? nextColor(used),
    ...(request.modeAfterPlan && { planModeRequired: true, modeAfterPlan: request.modeAfterPlan }),
    joinedAt: clock.now(),
    tmuxPaneId: '',
    cwd: request.cwd,
    ...(request.continues && previous?.worktreePath && { worktreePath: previous.worktreePath }),
    sessionId: (request.continues && previous?.sessionId) || ids.uuid(),
    subscriptions: [],
    mode: request.mode,
    ...(request.tools && { tools: [...request.tools] }),
    generation: (previous?.generation ?? 0) + 1,
    reservedBy,
    ...(requestId !== undefined && { requestId }),
  };
}

/** Whether the member's process lives, or somebody who lives is just starting it. */
async function isOccupied({ paths }: TeamPlace, member: Member): Promise<boolean> {
  if (member.reservedBy && (await isAlive(member.reservedBy))) return true;
  const record = await readRunRecord(paths.runRecord(member.name));
  return record !== undefined && record.generation === member.generation && !hasEnded(await liveRecord(record));
}

function isSameSlot(a: Member | undefined, b: Member | undefined): boolean {
  return a?.generation === b?.generation && a?.sessionId === b?.sessionId;
}
