import { endMarked } from '../host/children.js';
import { isAlive, sendSignal, thisProcess } from '../host/processes.js';
import type { Backend, Pane } from '../panes/backend.js';
import { openEventLog } from './eventLog.js';
import { LEAD } from './member.js';
import { type Sender, sendProtocol, type TeamPlace } from './messages.js';
import { liveRecord, type RunRecord, readRunRecord, writeRunRecord } from './runRecord.js';
import type { Member, TeamFile } from './teamFile.js';

/** From SIGTERM to SIGKILL. */
const TERM_MS = 5000;

export interface ShutdownDeps {
  readonly place: TeamPlace;
  /** `$TROUPE_HOME`, which the marks of its children carry. */
  readonly home: string;
  /** Where its pane is closed; absent where the members live in another process. */
  readonly backend?: Backend | undefined;
  readonly sender: Sender;
}

export interface ShutdownOptions {
  readonly graceMs: number;
  readonly reason?: string | undefined;
  /** Do not ask. */
  readonly force?: boolean;
  /** A member that says no is ended all the same. */
  readonly overrule?: boolean;
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
  { graceMs, reason, force = false, overrule = false }: ShutdownOptions,
): Promise<ShutdownResult> {
  const { place } = deps;
  const before = await livingRecord(place, member.name);
  if (before && !force) {
    const rejection = await ask(deps, member.name, reason, graceMs);
    if (rejection !== undefined && !overrule) return { how: 'rejected', reason: rejection };
  }
  const alive = before && (await livingRecord(place, member.name));
  if (alive) await enforce(deps, team, member, alive);
  else await endLingering(place, member.name);
  await clearUp(deps, team, member);
  return { how: alive ? 'forced' : before ? 'ended' : 'gone' };
}

/** A member that has said that it ended may hang on with something open. */
async function endLingering(place: TeamPlace, name: string): Promise<void> {
  const record = await readRunRecord(place.paths.runRecord(name));
  if (!record || record.backend === 'in-process' || record.pid === (await thisProcess()).pid) return;
  if (await isGone(place, record, TERM_MS)) return;
  await sendSignal(record, 'SIGKILL', 'group');
  await isGone(place, record, TERM_MS);
}

/** Its record, while its process lives. */
export async function livingRecord({ paths }: TeamPlace, name: string): Promise<RunRecord | undefined> {
  const record = await readRunRecord(paths.runRecord(name));
  if (!record) return undefined;
  const live = await liveRecord(record);
  return live.state === 'exited' || live.state === 'terminated' ? undefined : live;
}

/** Resolves when it has ended, when it said no (with its reason), or when the grace is over. */
async function ask(
  { place, sender }: ShutdownDeps,
  name: string,
  reason: string | undefined,
  graceMs: number,
): Promise<string | undefined> {
  const events = openEventLog(place.paths.events, place.clock);
  const since = (await events.read()).at(-1)?.seq ?? 0;
  const request_id = place.ids.uuid();
  await sendProtocol(place, sender, name, 'shutdown_request', { request_id, ...(reason && { reason }) });
  const until = place.clock.monotonic() + graceMs;
  while (place.clock.monotonic() < until) {
    if (!(await livingRecord(place, name))) return undefined;
    const answer = (await events.read(since)).find(
      (event) => event.type === 'shutdown_rejected' && event['id'] === request_id,
    );
    if (answer) return String(answer['reason']);
    await place.clock.sleep(50);
  }
  return undefined;
}

async function enforce(
  { place, sender, backend }: ShutdownDeps,
  team: TeamFile,
  member: Member,
  record: RunRecord,
): Promise<void> {
  const { name } = member;
  const self = await thisProcess();
  const isThisProcess = record.pid === self.pid && record.procStart === self.procStart;
  let signal: string | null = null;
  if (record.backend === 'in-process' && backend?.type === 'in-process') {
    await backend.close(paneOf(member), { team: team.name, member: name });
  } else if (record.backend === 'in-process') {
    // Its process is the lead's too: the harness in there ends it.
    await sendProtocol(place, sender, name, 'shutdown_request', { request_id: place.ids.uuid(), force: true });
    await until(place, TERM_MS, async () => !(await livingRecord(place, name)));
  } else if (!isThisProcess) {
    signal = 'SIGTERM';
    await sendSignal(record, 'SIGTERM', 'group');
    if (!(await isGone(place, record, TERM_MS))) {
      signal = 'SIGKILL';
      await sendSignal(record, 'SIGKILL', 'group');
      await isGone(place, record, TERM_MS);
    }
  }
  const last = (await readRunRecord(place.paths.runRecord(name))) ?? record;
  await writeRunRecord(place.paths.runRecord(name), {
    ...last,
    state: 'terminated',
    exit: { code: last.exit?.code ?? null, signal: last.exit?.signal ?? signal, forced: true },
  });
}

/** Whether the process itself ends within `ms`, whatever its record says. */
function isGone(place: TeamPlace, record: RunRecord, ms: number): Promise<boolean> {
  return until(place, ms, async () => !(await isAlive(record)));
}

async function until({ clock }: TeamPlace, ms: number, check: () => Promise<boolean>): Promise<boolean> {
  const end = clock.monotonic() + ms;
  for (;;) {
    if (await check()) return true;
    if (clock.monotonic() > end) return false;
    await clock.sleep(25);
  }
}

async function clearUp({ place, home, backend }: ShutdownDeps, team: TeamFile, member: Member): Promise<void> {
  await endMarked({ member: member.agentId, home }, place.clock);
  if (backend && member.tmuxPaneId !== '' && member.name !== LEAD)
    await backend.close(paneOf(member), { team: team.name, member: member.name });
}

export function paneOf({ tmuxPaneId, windowId, ownsPane = true }: Member): Pane {
  return { paneId: tmuxPaneId, ownsPane, ...(windowId !== undefined && { windowId }) };
}
