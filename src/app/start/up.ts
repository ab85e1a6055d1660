import { openTrust } from '../../config/trust.js';
import type { WantedBackend } from '../../panes/choose.js';
import { refuseMembers } from '../look/teams.js';
import type { World } from '../services.js';
import { type BackendWish, decideBackend } from './backends.js';
import { planTeam, type TeamPlan, type TeamWish } from './planTeam.js';
import { type ShownTeam, showTeam } from './showTeam.js';
import { startTeam } from './startTeam.js';

export interface UpOptions {
  readonly wish: TeamWish;
  readonly backend: WantedBackend;
  readonly detach: boolean;
  readonly isTerminal: boolean;
  readonly note: (line: string) => void;
  /** The team is taken down when this resolves. Without it a person says when. */
  readonly until?: ((team: string) => Promise<unknown>) | undefined;
  /** Asks a person whether to trust the folder, given what that would let in. Absent where nobody can be asked. */
  readonly askTrust?: ((folder: string, leftOut: readonly string[]) => Promise<boolean>) | undefined;
}

export async function planUp(
  world: World,
  { wish, backend, detach, isTerminal, askTrust }: UpOptions,
): Promise<{ plan: TeamPlan; backendWish: BackendWish; decided: Awaited<ReturnType<typeof decideBackend>> }> {
  refuseMembers('up');
  const backendWish: BackendWish = { wanted: backend, command: 'up', detach, isTerminal, layout: 'panes' };
  const decided = await decideBackend(world, backendWish);
  const plan = await planTeam(world, wish, 'up');
  const trusts = askTrust !== undefined && plan.untrusted.length > 0 && (await trustAfterAll(world, plan, askTrust));
  return { plan: trusts ? await planTeam(world, wish, 'up') : plan, backendWish, decided };
}

/** Asks once for each folder; the answer is kept. */
async function trustAfterAll(
  { home }: World,
  { cwd, untrusted }: TeamPlan,
  ask: NonNullable<UpOptions['askTrust']>,
): Promise<boolean> {
  const trust = openTrust(home);
  if (await trust.isDeclined(cwd)) return false;
  const trusts = await ask(cwd, untrusted);
  await (trusts ? trust.trust(cwd) : trust.decline(cwd));
  return trusts;
}

/** Starts a team for a person. Resolves when it runs (detached), when the person has detached, or when the team has ended. */
export async function up(world: World, options: UpOptions): Promise<ShownTeam> {
  const { note, detach, until } = options;
  const { plan, backendWish, decided } = await planUp(world, options);
  for (const notice of [...plan.untrusted, ...plan.notices]) note(notice);
  if (decided.notice) note(decided.notice);

  return showTeam({
    world,
    team: plan.name,
    color: plan.lead.color,
    note,
    detach,
    until,
    begin: (parts) => startTeam({ world, plan, decided, wish: backendWish, ...parts }),
  });
}
