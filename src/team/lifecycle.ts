import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home } from '../config/paths.js';
import { isAlive, type ProcessRef, thisProcess } from '../host/processes.js';
import type { Run } from '../host/run.js';
import { openMailbox } from '../mailbox/mailbox.js';
import type { Backend, Pane } from '../panes/backend.js';
import type { PermissionMode } from '../permissions/mode.js';
import { ExitCode, messageOf, UserError } from '../util/errors.js';
import { fileNameOf, isSameName } from '../util/names.js';
import { createWorktree, removeWorktree, type Worktree } from '../worktree/worktree.js';
import { openEventLog } from './eventLog.js';
import { type Launch, type TeamSettings, writeLaunch } from './launch.js';
import { agentIdOf, checkNewMemberName, findMember, LEAD, nextColor } from './member.js';
import type { TeamPlace } from './messages.js';
import { liveRecord, readRunRecord } from './runRecord.js';
import { paneOf } from './shutdown.js';
import { type Member, openTeamFile, type TeamFile, withMember } from './teamFile.js';

/** How long a started process has to say that it is ready. */
const READY_MS = 15_000;

export interface StartDeps {
  readonly home: Home;
  readonly place: TeamPlace;
  readonly run: Run;
  readonly backend: Backend;
  /** The program that a pane runs, `node bin/troupe.js`, for the record in the launch file. */
  readonly program: readonly string[];
  /** The whole environment of whoever starts it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: TeamSettings;
}

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
}

export interface StartedMember {
  readonly member: Member;
  readonly pane: Pane;
  /** Unread messages of a dead namesake that were put into its log. */
  readonly movedMail: number;
}

type Undo = () => Promise<void>;

/**
 * The only way a member comes to be, for `up`, `run`, `add`, `restart` and the Agent tool. All or nothing: when it
 * throws, everything that it made is gone again.
 */
export async function startMember(deps: StartDeps, request: MemberRequest): Promise<StartedMember> {
  const { place, backend } = deps;
  await validate(request);
  const team = openTeamFile(place.paths.config);
  const { member, previous, isRepeat } = await reserve(deps, request);
  if (isRepeat) return { member, pane: paneOf(member), movedMail: 0 };
  const undo: Undo[] = [() => unreserve(deps, member, previous)];
  try {
    undo.push(await rememberFiles(deps, member));
    const worktree = await workplace(deps, request, member, previous, undo);
    const mailbox = openMailbox({ team: place.paths, member: member.name, clock: place.clock, ids: place.ids });
    const movedMail = previous && !request.continues ? await mailbox.moveUnreadToLog() : 0;
    const cwd = worktree?.path ?? request.cwd;
    await writeLaunch(place.paths.launchFile(member.name), await launchOf(deps, request, { ...member, cwd }, worktree));
    if (request.prompt !== undefined) await mailbox.deliver({ from: request.promptFrom ?? LEAD, text: request.prompt });

    const pane = await backend.start({
      team: (await team.require()).name,
      member: member.name,
      role: request.role ?? 'teammate',
      cwd,
      launchFile: place.paths.launchFile(member.name),
      ...(member.color && { color: member.color }),
    });
    undo.push(async () => backend.close(pane, { team: (await team.require()).name, member: member.name }));
    await waitUntilReady(deps, member, pane);

    const { reservedBy: _, ...settled } = member;
    const placed: Member = {
      ...settled,
      cwd,
      tmuxPaneId: pane.paneId,
      backendType: backend.type,
      ownsPane: pane.ownsPane,
      ...(pane.windowId && { windowId: pane.windowId }),
      ...(worktree && { worktreePath: worktree.path, worktreeBranch: worktree.branch, worktreeBase: worktree.base }),
    };
    await team.update((current) => withMember(current, placed));
    await openEventLog(place.paths.events, place.clock).append('spawned', {
      member: member.name,
      backend: backend.type,
      pane: pane.paneId,
      generation: member.generation,
    });
    return { member: placed, pane, movedMail };
  } catch (error) {
    throw await rolledBack(error, undo);
  }
}

async function validate({ name, role, cwd }: MemberRequest): Promise<void> {
  if (role !== 'lead') checkNewMemberName(name);
  const facts = await stat(cwd).catch(() => undefined);
  if (!facts?.isDirectory()) throw new UserError(`${cwd} is not a directory: "${name}" cannot work there.`);
}

async function reserve(
  deps: StartDeps,
  request: MemberRequest,
): Promise<{ member: Member; previous: Member | undefined; isRepeat: boolean }> {
  const file = openTeamFile(deps.place.paths.config);
  const reservedBy = await thisProcess();
  for (;;) {
    const team = await file.require();
    const previous = findMember(team, request.name);
    if (previous && request.requestId !== undefined && previous.requestId === request.requestId)
      return { member: previous, previous, isRepeat: true };
    if (previous && (await isOccupied(deps.place, previous))) {
      throw new UserError(
        `There is a living member "${previous.name}" in ${team.name} already. Choose another name, or end it with: troupe shutdown ${previous.name} -t ${team.name}`,
      );
    }
    const member = newMember(deps, request, team, previous, reservedBy);
    const after = await file.update((current) =>
      isSameSlot(findMember(current, request.name), previous) ? withMember(current, member) : current,
    );
    const slot = findMember(after, request.name);
    if (isSameSlot(slot, member)) return { member, previous, isRepeat: false };
  }
}

function newMember(
  { place }: StartDeps,
  request: MemberRequest,
  team: TeamFile,
  previous: Member | undefined,
  reservedBy: ProcessRef,
): Member {
  const used = team.members.flatMap(({ color }) => (color ? [color] : []));
  return {
    agentId: agentIdOf(request.name, team.name),
    name: previous?.name ?? request.name,
    agentType: request.agentType,
    model: request.model,
    ...(request.prompt !== undefined && { prompt: request.prompt }),
    color: request.color ?? previous?.color ?? nextColor(used),
    ...(request.modeAfterPlan && { planModeRequired: true }),
    joinedAt: place.clock.now(),
    tmuxPaneId: '',
    cwd: request.cwd,
    ...(request.continues && previous?.worktreePath && { worktreePath: previous.worktreePath }),
    sessionId: (request.continues && previous?.sessionId) || place.ids.uuid(),
    subscriptions: [],
    mode: request.mode,
    generation: (previous?.generation ?? 0) + 1,
    reservedBy,
    ...(request.requestId !== undefined && { requestId: request.requestId }),
  };
}

/** Whether the member's process lives, or somebody who lives is just starting it. */
async function isOccupied({ paths }: TeamPlace, member: Member): Promise<boolean> {
  if (member.reservedBy && (await isAlive(member.reservedBy))) return true;
  const record = await readRunRecord(paths.runRecord(member.name));
  if (!record || record.generation !== member.generation) return false;
  const { state } = await liveRecord(record);
  return state !== 'exited' && state !== 'terminated';
}

function isSameSlot(a: Member | undefined, b: Member | undefined): boolean {
  return a?.generation === b?.generation && a?.sessionId === b?.sessionId;
}

async function unreserve({ place }: StartDeps, { name }: Member, previous: Member | undefined): Promise<void> {
  await openTeamFile(place.paths.config).update((team) => ({
    ...team,
    members: team.members.flatMap((other) => (isSameName(other.name, name) ? (previous ? [previous] : []) : [other])),
  }));
}

/** Notes which of the member's files are there already; the undo removes the others. */
async function rememberFiles({ place: { paths }, home }: StartDeps, { name, sessionId = '' }: Member): Promise<Undo> {
  const inbox = join(paths.inboxes, fileNameOf(name));
  const ours = [
    `${inbox}.json`,
    `${inbox}.d`,
    `${inbox}.log.jsonl`,
    paths.runRecord(name),
    paths.launchFile(name),
    home.session(sessionId).root,
  ].filter((path) => !existsSync(path));
  return async () => {
    for (const path of ours) await rm(path, { recursive: true, force: true });
  };
}

async function workplace(
  { run, place }: StartDeps,
  request: MemberRequest,
  member: Member,
  previous: Member | undefined,
  undo: Undo[],
): Promise<Worktree | undefined> {
  if (request.continues && previous?.worktreePath !== undefined) {
    if (!existsSync(previous.worktreePath))
      throw new UserError(
        `The worktree of "${member.name}" is gone: ${previous.worktreePath}. Start a new member with troupe add.`,
        ExitCode.unfinished,
      );
    return { path: previous.worktreePath, branch: previous.worktreeBranch ?? '', base: previous.worktreeBase ?? '' };
  }
  if (!request.worktree) return undefined;
  const [, team = ''] = member.agentId.split('@');
  const worktree = await createWorktree({
    repo: request.cwd,
    name: `${fileNameOf(team)}-${fileNameOf(member.name)}-${place.ids.hex(4)}`,
    run,
  });
  undo.push(() => removeWorktree({ ...worktree, into: worktree.base, repo: request.cwd, run }).then(() => {}));
  return worktree;
}

async function launchOf(
  { home, environment, program, settings, backend, place }: StartDeps,
  request: MemberRequest,
  member: Member,
  worktree: Worktree | undefined,
): Promise<Launch> {
  const team = (await openTeamFile(place.paths.config).require()).name;
  const launchFile = place.paths.launchFile(member.name);
  return {
    argv: [...program, request.role ?? 'teammate', '--launch', launchFile],
    cwd: member.cwd,
    environment: { ...environment, TROUPE_HOME: home.root, TROUPE_TEAM: team },
    home: home.root,
    team,
    member: member.name,
    role: request.role ?? 'teammate',
    generation: member.generation ?? 1,
    sessionId: member.sessionId ?? '',
    ...(member.color && { color: member.color }),
    agentType: request.agentType,
    ...(request.tools && { tools: [...request.tools] }),
    model: request.model,
    mode: request.modeAfterPlan ? 'plan' : request.mode,
    ...(request.modeAfterPlan && { modeAfterPlan: request.modeAfterPlan }),
    ...(worktree && { worktree }),
    backend: backend.type,
    settings,
  };
}

async function waitUntilReady({ place, backend }: StartDeps, member: Member, pane: Pane): Promise<void> {
  const { clock, paths } = place;
  const until = clock.monotonic() + READY_MS;
  for (let look = 0; ; look++) {
    const record = await readRunRecord(paths.runRecord(member.name));
    if (record?.generation === member.generation && record?.readyAt !== undefined) return;
    // Asking the backend costs a process; the record costs a read.
    const end = look % 10 === 9 ? await backend.ended(pane) : undefined;
    if (end)
      throw new UserError(
        `"${member.name}" ended before it was ready (${howItEnded(end)}). Its last lines:\n${end.lastLines || '(none)'}`,
        ExitCode.failed,
      );
    if (clock.monotonic() > until) {
      throw new UserError(
        `"${member.name}" was not ready within ${READY_MS / 1000} s. It shows:\n${(await backend.capture(pane, 20).catch(messageOf)) || '(nothing)'}`,
        ExitCode.failed,
      );
    }
    await clock.sleep(25);
  }
}

function howItEnded({ code, signal }: { code: number | null; signal: string | null }): string {
  return signal ? `signal ${signal}` : code === null ? 'its pane is gone' : `exit code ${code}`;
}

async function rolledBack(error: unknown, undo: readonly Undo[]): Promise<unknown> {
  const failures: string[] = [];
  for (const step of undo.toReversed()) await step().catch((failure) => failures.push(messageOf(failure)));
  if (failures.length === 0) return error;
  return new UserError(
    `${messageOf(error)}\nUndoing it failed in part: ${failures.join('; ')}. See troupe doctor.`,
    ExitCode.failed,
    { cause: error },
  );
}
