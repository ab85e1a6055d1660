import { endMarked } from '../host/children.js';
import { sendSignal, thisProcess } from '../host/processes.js';
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
  const alive = () => livingRecord(place, member.name);
  if (!(await alive())) {
    await clearUp(deps, team, member);
    return { how: 'gone' };
  }
  if (!force) {
    const rejection = await ask(deps, member.name, reason, graceMs);
    if (rejection !== undefined && !overrule) return { how: 'rejected', reason: rejection };
  }
  const forced = await alive();
  if (forced) await enforce(deps, team, member, forced);
  await clearUp(deps, team, member);
  return { how: forced ? 'forced' : 'ended' };
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
    await gone(place, name, TERM_MS);
  } else if (!isThisProcess) {
    signal = 'SIGTERM';
    await sendSignal(record, 'SIGTERM', 'group');
    if (!(await gone(place, name, TERM_MS))) {
      signal = 'SIGKILL';
      await sendSignal(record, 'SIGKILL', 'group');
      await gone(place, name, TERM_MS);
    }
  }
  const last = (await readRunRecord(place.paths.runRecord(name))) ?? record;
  await writeRunRecord(place.paths.runRecord(name), {
    ...last,
    state: 'terminated',
    exit: { code: last.exit?.code ?? null, signal: last.exit?.signal ?? signal, forced: true },
  });
}

async function gone(place: TeamPlace, name: string, ms: number): Promise<boolean> {
  const until = place.clock.monotonic() + ms;
  for (;;) {
    if (!(await livingRecord(place, name))) return true;
    if (place.clock.monotonic() > until) return false;
    await place.clock.sleep(25);
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
