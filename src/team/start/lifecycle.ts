import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Home } from '../../config/paths.js';
import { endMarked, markEnvironment } from '../../host/children.js';
import type { Run } from '../../host/run.js';
import { openMailbox } from '../../mailbox/mailbox.js';
import type { Backend, Pane } from '../../panes/backend.js';
import { messageOf, UserError } from '../../util/errors.js';
import { fileNameOf } from '../../util/names.js';
import { several } from '../../util/several.js';
import { createTurns, type InTurn } from '../../util/turns.js';
import { createWorktree } from '../../worktree/create.js';
import { removeWorktree } from '../../worktree/remove.js';
import { reopenWorktree } from '../../worktree/reopen.js';
import type { Worktree, WorktreeHooks } from '../../worktree/worktree.js';
import { openEventLog } from '../eventLog.js';
import { handOn } from '../handOn.js';
import { withHidden } from '../hidden.js';
import { checkNewMemberName, LEAD } from '../member.js';
import { rememberFiles } from '../memberFiles.js';
import type { TeamPlace } from '../messages.js';
import { paneOf } from '../shutdown.js';
import { changeMember, type Member, openTeamFile, withMember, worktreeOf } from '../teamFile.js';
import { type Launch, launchIdOf, type TeamSettings, writeLaunch } from './launch.js';
import { waitUntilReady } from './ready.js';
import { giveBackSlot, type MemberRequest, reserveSlot, reserveSlots, type Slot } from './slot.js';
import { undone } from './undone.js';

type Undo = () => Promise<void>;

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
  readonly worktreeHooks?: WorktreeHooks | undefined;
}

export interface StartedMember {
  readonly member: Member;
  readonly pane: Pane;
  /** Unread messages of a dead namesake that were put into its log. */
  readonly movedMail: number;
}

/**
 * The only way a member comes to be, for `up`, `run`, `add`, `restart` and the Agent tool. All or nothing: when it
 * throws, everything that it made is gone again.
 */
export async function startMember(deps: StartDeps, request: MemberRequest): Promise<StartedMember> {
  await validate(request);
  return startIn(deps, request, await reserveSlot(deps.place, request), (start) => start());
}

/**
 * The same for several, `atOnce` of them at a time: they are written down and get their panes in the order of the
 * requests. After one that fails none is begun any more. @throws its error; those that run by then go on.
 */
export async function startMembers(
  deps: StartDeps,
  requests: readonly MemberRequest[],
  atOnce: number,
): Promise<StartedMember[]> {
  await Promise.all(requests.map(validate));
  const slots = await reserveSlots(deps.place, requests);
  const turns = createTurns();
  const unbegun = new Set(slots);
  try {
    return await several(slots, atOnce, (slot) => {
      unbegun.delete(slot);
      const request = requests[slots.indexOf(slot)];
      if (!request) throw new Error(`Nobody has asked for ${slot.member.name}.`);
      return turns.next((inTurn) => startIn(deps, request, slot, inTurn));
    });
  } catch (error) {
    for (const { member, previous, isRepeat } of unbegun)
      if (!isRepeat) await giveBackSlot(deps.place, member, previous);
    throw error;
  }
}

async function startIn(
  deps: StartDeps,
  request: MemberRequest,
  { member, previous, isRepeat }: Slot,
  inTurn: InTurn,
): Promise<StartedMember> {
  const { place, backend } = deps;
  const team = openTeamFile(place.paths.config);
  if (isRepeat) return { member, pane: paneOf(member), movedMail: 0 };
  // Whoever was starting its namesake has died over it, and may have left a pane that waits for a process.
  if (previous?.reservedBy) await endMarked({ member: member.agentId, home: deps.home.root }, place.clock);
  const firstMessage = place.ids.timeUuid();
  const undo: Undo[] = [() => giveBackSlot(place, member, previous)];
  try {
    undo.push(await rememberFiles(place, deps.home, member, firstMessage));
    const worktree = await workplace(deps, request, member, previous, undo);
    const mailbox = openMailbox({ team: place.paths, member: member.name, clock: place.clock, ids: place.ids });
    if (request.continues) await handOn(place, member, mailbox);
    const movedMail = previous && !request.continues ? await mailbox.moveUnreadToLog() : 0;
    const cwd = worktree?.path ?? request.cwd;
    const launch = await launchOf(deps, request, { ...member, cwd }, worktree);
    await writeLaunch(place.paths.launchFile(member.name), launch);
    if (request.prompt !== undefined)
      await mailbox.deliver({ msg_id: firstMessage, from: request.promptFrom ?? LEAD, text: request.prompt });

    const { name } = await team.require();
    const pane = await inTurn(() =>
      backend.start({
        team: name,
        member: member.name,
        role: request.role ?? 'teammate',
        cwd,
        launchFile: place.paths.launchFile(member.name),
        launchId: launchIdOf(launch),
        ...(member.color && { color: member.color }),
        isHidden: request.isHidden,
        mark: markEnvironment({ member: `${member.agentId}:${member.generation}`, home: deps.home.root }),
      }),
    );
    undo.push(async () => backend.close(pane, { team: (await team.require()).name, member: member.name }));
    await waitUntilReady(place, backend, member, pane);

    const { reservedBy: _, ...settled } = member;
    const placed: Member = {
      ...settled,
      ...workplaceOf(worktree, request.cwd),
      tmuxPaneId: pane.paneId,
      backendType: backend.type,
      ownsPane: pane.ownsPane,
      ...(pane.windowId && { windowId: pane.windowId }),
    };
    const hidden = request.isHidden === true && backend.type === 'tmux';
    await team.update((current) =>
      withHidden(withMember(current, placed), placed.tmuxPaneId, hidden, previous?.tmuxPaneId),
    );
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

function workplaceOf(worktree: Worktree | undefined, cwd: string): Partial<Member> & { readonly cwd: string } {
  if (!worktree) return { cwd };
  const { path, branch, base, hookMade } = worktree;
  return {
    cwd: path,
    worktreePath: path,
    worktreeBranch: branch,
    worktreeBase: base,
    ...(hookMade && { worktreeHookMade: true }),
  };
}

async function validate({ name, role, cwd }: MemberRequest): Promise<void> {
  if (role !== 'lead') checkNewMemberName(name);
  const facts = await stat(cwd).catch(() => undefined);
  if (!facts?.isDirectory()) throw new UserError(`${cwd} is not a directory: "${name}" cannot work there.`);
}

async function workplace(
  { run, place, settings, worktreeHooks: hooks }: StartDeps,
  request: MemberRequest,
  member: Member,
  previous: Member | undefined,
  undo: Undo[],
): Promise<Worktree | undefined> {
  const former = request.continues && previous ? worktreeOf(previous) : undefined;
  if (former && !previous?.worktreeRemoved) {
    await reopenWorktree({ worktree: former, repo: request.cwd, run });
    return former;
  }
  if (!request.worktree && !former) return undefined;
  const [, team = ''] = member.agentId.split('@');
  const worktree = await createWorktree({
    repo: request.cwd,
    name: former ? basename(former.path) : `${fileNameOf(team)}-${fileNameOf(member.name)}-${place.ids.hex(4)}`,
    run,
    settings: settings.worktree,
    hooks,
  });
  undo.push(async () => {
    const result = await removeWorktree({ ...worktree, into: worktree.base, repo: request.cwd, run, hooks });
    if (!result.removed) throw new Error(`the worktree ${worktree.path} is kept: ${result.why.join(', ')}`);
  });
  // At once: should this process die now, whoever comes next knows of it.
  await openTeamFile(place.paths.config).update((team) =>
    changeMember(team, member.name, (reserved) => ({ ...reserved, ...workplaceOf(worktree, request.cwd) })),
  );
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
    ...(request.continues && { continues: true }),
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

async function rolledBack(error: unknown, undo: readonly Undo[]): Promise<unknown> {
  const failures: string[] = [];
  for (const step of undo.toReversed()) await step().catch((failure) => failures.push(messageOf(failure)));
  return undone(error, 'it', failures);
}
