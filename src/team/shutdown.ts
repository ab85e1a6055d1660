import { endMarked, hurried } from '../host/children.js';
import { isAlive, sendSignal, thisProcess } from '../host/processes.js';
import type { Backend, Pane } from '../panes/backend.js';
import { isAbort } from '../util/errors.js';
import { openEventLog } from './eventLog.js';
import { LEAD } from './member.js';
import { type Sender, sendProtocol, type TeamPlace } from './messages.js';
import { liveRecord, type RunRecord, readRunRecord, writeRunRecord } from './runRecord.js';
import type { Member, TeamFile } from './teamFile.js';

/** From SIGTERM to SIGKILL. */
const TERM_MS = 5000;
/** Between two looks for an answer. */
const LOOK_MS = 50;

export interface ShutdownDeps {
  readonly place: TeamPlace;
  /** `$TROUPE_HOME`, which the marks of its children carry. */
  readonly home: string;
  /** Where its pane is closed; absent where the members live in another process. */
  readonly backend?: Backend | undefined;
  readonly sender: Sender;
  /** Of all that are asked together: one look serves them all. Its own when absent. */
  readonly rejections?: Rejections | undefined;
}

export interface ShutdownOptions {
  readonly graceMs: number;
  readonly reason?: string | undefined;
  /** Do not ask. */
  readonly force?: boolean;
  /** A member that says no is ended all the same. */
  readonly overrule?: boolean;
  /** Aborted when there is no time left: nobody is waited for, whoever still lives is killed. */
  readonly hurry?: AbortSignal | undefined;
}

export type ShutdownResult =
  | { readonly how: 'ended' }
  | { readonly how: 'forced' }
  | { readonly how: 'gone' }
  | { readonly how: 'rejected'; readonly reason: string };

/**
 * Ends a member: asks, waits, then enforces. Never depends on its model. When it returns, but for a rejection, its
 * process, its marked children and its pane are gone and its record says how it ended.
 */
export async function shutdownMember(
  deps: ShutdownDeps,
  team: TeamFile,
  member: Member,
  { graceMs, reason, force = false, overrule = false, hurry }: ShutdownOptions,
): Promise<ShutdownResult> {
  const { place } = deps;
  const before = await livingRecord(place, member.name);
  if (before && !force && !hurry?.aborted) {
    const rejection = await ask(deps, member.name, { reason, graceMs, hurry });
    if (rejection !== undefined && !overrule) return { how: 'rejected', reason: rejection };
  }
  const alive = before && (await livingRecord(place, member.name));
  if (alive) await enforce(deps, team, member, { record: alive, hurry });
  else await endLingering(place, member.name, hurry);
  await clearUp(deps, team, member, hurry);
  return { how: alive ? 'forced' : before ? 'ended' : 'gone' };
}

/** A member that has said that it ended may hang on with something open. */
async function endLingering(place: TeamPlace, name: string, hurry: AbortSignal | undefined): Promise<void> {
  const record = await readRunRecord(place.paths.runRecord(name));
  if (!record || record.backend === 'in-process' || record.pid === (await thisProcess()).pid) return;
  if (await isGone(place, record, hurry)) return;
  await sendSignal(record, 'SIGKILL', 'group');
  await isGone(place, record);
}

/** Its record, while its process lives. */
export async function livingRecord({ paths }: TeamPlace, name: string): Promise<RunRecord | undefined> {
  const record = await readRunRecord(paths.runRecord(name));
  if (!record) return undefined;
  const live = await liveRecord(record);
  return live.state === 'exited' || live.state === 'terminated' ? undefined : live;
}

/** What members answer that do not want to end. */
export interface Rejections {
  /** Why the member that got this request stays; nothing while it has not said so. */
  reasonOf(requestId: string): Promise<string | undefined>;
}

/** One follower of the event log for however many that ask; what was said before it was opened is not looked at. */
export async function openRejections({ paths, clock }: TeamPlace): Promise<Rejections> {
  const follow = openEventLog(paths.events, clock).follow();
  const reasons = new Map<string, string>();
  await follow();
  let looking: Promise<void> | undefined;
  let lookedAt = clock.monotonic();
  const look = async () => {
    try {
      for (const event of await follow())
        if (event.type === 'shutdown_rejected') reasons.set(String(event['id']), String(event['reason']));
    } finally {
      lookedAt = clock.monotonic();
      looking = undefined;
    }
  };
  return {
    async reasonOf(requestId) {
      if (clock.monotonic() - lookedAt >= LOOK_MS) looking ??= look();
      await looking;
      return reasons.get(requestId);
    },
  };
}

/** Resolves when it has ended, when it said no (with its reason), or when the grace is over. */
async function ask(
  deps: ShutdownDeps,
  name: string,
  { reason, graceMs, hurry }: Pick<ShutdownOptions, 'reason' | 'graceMs' | 'hurry'>,
): Promise<string | undefined> {
  const { place, sender } = deps;
  const rejections = deps.rejections ?? (await openRejections(place));
  const request_id = place.ids.uuid();
  await sendProtocol(place, sender, name, 'shutdown_request', { request_id, ...(reason && { reason }) });
  const end = place.clock.monotonic() + graceMs;
  while (place.clock.monotonic() < end && !hurry?.aborted) {
    if (!(await livingRecord(place, name))) return undefined;
    const rejection = await rejections.reasonOf(request_id);
    if (rejection !== undefined) return rejection;
    await rest(place, LOOK_MS, hurry);
  }
  return undefined;
}

async function enforce(
  { place, home, sender, backend }: ShutdownDeps,
  team: TeamFile,
  member: Member,
  { record, hurry }: { readonly record: RunRecord; readonly hurry: AbortSignal | undefined },
): Promise<void> {
  const { name } = member;
  const marks = [{ member: member.agentId, home }];
  const self = await thisProcess();
  const isThisProcess = record.pid === self.pid && record.procStart === self.procStart;
  let signal: string | null = null;
  if (record.backend === 'in-process' && backend?.type === 'in-process') {
    const closing = backend.close(paneOf(member), { team: team.name, member: name });
    await hurried(closing, { marks, hurry, clock: place.clock });
  } else if (record.backend === 'in-process') {
    // Its process is the lead's too: the harness in there ends it.
    await sendProtocol(place, sender, name, 'shutdown_request', { request_id: place.ids.uuid(), force: true });
    const gone = until(place, TERM_MS, async () => !(await livingRecord(place, name)));
    await hurried(gone, { marks, hurry, clock: place.clock });
  } else if (!isThisProcess) {
    signal = 'SIGTERM';
    await sendSignal(record, 'SIGTERM', 'group');
    if (!(await isGone(place, record, hurry))) {
      signal = 'SIGKILL';
      await sendSignal(record, 'SIGKILL', 'group');
      await isGone(place, record);
    }
  }
  const last = (await readRunRecord(place.paths.runRecord(name))) ?? record;
  await writeRunRecord(place.paths.runRecord(name), {
    ...last,
    state: 'terminated',
    exit: { code: last.exit?.code ?? null, signal: last.exit?.signal ?? signal, forced: true },
  });
}

/** Whether the process itself ends in time, whatever its record says. With `hurry` there is none. */
function isGone(place: TeamPlace, record: RunRecord, hurry?: AbortSignal): Promise<boolean> {
  return until(place, TERM_MS, async () => !(await isAlive(record)), hurry);
}

async function until(
  place: TeamPlace,
  ms: number,
  check: () => Promise<boolean>,
  hurry?: AbortSignal,
): Promise<boolean> {
  const end = place.clock.monotonic() + ms;
  for (;;) {
    if (await check()) return true;
    if (place.clock.monotonic() > end || hurry?.aborted) return false;
    await rest(place, 25, hurry);
  }
}

/** So long, or until there is a hurry. */
async function rest({ clock }: TeamPlace, ms: number, hurry: AbortSignal | undefined): Promise<void> {
  await clock.sleep(ms, hurry).catch((error: unknown) => {
    if (!isAbort(error) && !hurry?.aborted) throw error;
  });
}

async function clearUp(
  { place, home, backend }: ShutdownDeps,
  team: TeamFile,
  member: Member,
  hurry: AbortSignal | undefined,
): Promise<void> {
  const mark = { member: member.agentId, home };
  await hurried(endMarked(mark, place.clock), { marks: [mark], hurry, clock: place.clock });
  if (backend && member.tmuxPaneId !== '' && member.name !== LEAD)
    await backend.close(paneOf(member), { team: team.name, member: member.name });
}

export function paneOf({ tmuxPaneId, windowId, ownsPane = true }: Member): Pane {
  return { paneId: tmuxPaneId, ownsPane, ...(windowId !== undefined && { windowId }) };
}
