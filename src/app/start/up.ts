import { openTrust } from '../../config/trust.js';
import { handOver } from '../../host/run.js';
import { onEndSignals } from '../../host/signals.js';
import type { WantedBackend } from '../../panes/choose.js';
import type { TmuxBackend } from '../../panes/tmux/backend.js';
import { openTeamFile } from '../../team/teamFile.js';
import { isAbort, messageOf, UserError } from '../../util/errors.js';
import { shellLine } from '../../util/text.js';
import { downTeam } from '../end/down.js';
import { refuseMembers } from '../look/teams.js';
import { leadHere, teammatesHere } from '../members/leadHere.js';
import { isStillOurs } from '../members/leadProcess.js';
import { type LeadTerminal, openLeadTerminal } from '../members/leadTerminal.js';
import { createLeaving } from '../members/leaving.js';
import { placeOf, startEngine, type World } from '../services.js';
import { type BackendWish, decideBackend } from './backends.js';
import { planTeam, type TeamPlan, type TeamWish } from './planTeam.js';
import { startTeam } from './startTeam.js';
import { keptWords } from './worktrees.js';

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

export interface UpOutcome {
  readonly team: string;
  /** What shows the team, for a shell. */
  readonly attach?: string;
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
export async function up(world: World, options: UpOptions): Promise<UpOutcome> {
  const { note, detach, until } = options;
  const { plan, backendWish, decided } = await planUp(world, options);
  for (const notice of [...plan.untrusted, ...plan.notices]) note(notice);
  if (decided.type === 'in-process' && decided.notice) note(decided.notice);

  const engineEnd = new AbortController();
  const onError = (error: unknown) => note(messageOf(error));
  const engine = startEngine(world.clock, engineEnd.signal, onError);
  let shown: LeadTerminal | undefined;
  const leaving = createLeaving();
  const restore = onEndSignals(() => leaving.ask('now'));
  const lead = leadHere({
    world,
    engine,
    // The terminal opens with the lead; until then there is nothing to show.
    view: {
      event: (event) => shown?.view.event(event),
      card: (request) => shown?.view.card(request),
      note: (line) => (shown ? shown.view.note(line) : note(line)),
      ask: async (question, signal) => shown?.view.ask?.(question, signal),
      members: () => {},
    },
  });
  try {
    const { open, lead: leadPane } = await startTeam({
      world,
      plan,
      decided,
      wish: backendWish,
      teammateHere: teammatesHere(world, engine, (line) => (shown ? shown.view.note(line) : note(line))),
      leadHere: async (launchFile, signal, backend) => {
        shown = openLeadTerminal({
          world,
          team: plan.name,
          color: plan.lead.color,
          interrupt: () => leaving.interrupt(),
          toBackground: () => leaving.toBackground(),
          onEnd: () => leaving.ask('after the call'),
        });
        return lead.start(launchFile, signal, backend);
      },
      progress: note,
    });
    if (!open.leadIsHere && open.panes) {
      engineEnd.abort();
      if (leaving.wasAsked()) {
        await downTeam({ world, team: plan.name, panes: open.panes, force: true, purge: false, progress: note });
        return { team: plan.name };
      }
      const attach = open.panes.attachCommand(leadPane);
      const attached = detach ? undefined : handOver(attach[0] ?? 'tmux', attach.slice(1));
      if (until) {
        await until(plan.name);
        await downIfUp(world, plan.name, open.panes);
      }
      await attached;
      return { team: plan.name, attach: shellLine(attach) };
    }
    leaving.attach(await lead.opened);
    until?.(plan.name).then(() => leaving.ask('after the call'), onError);
    await lead.ended;
    if (await isStillOurs(placeOf(world, plan.name).paths.config)) {
      const say = (line: string) => shown?.terminal.say(line);
      const { backend, panes } = open;
      const { keptWorktrees } = await downTeam({
        world,
        team: plan.name,
        backend,
        panes,
        force: false,
        purge: false,
        progress: say,
      });
      for (const kept of keptWorktrees) say(keptWords(kept));
    }
    return { team: plan.name };
  } catch (error) {
    if (isAbort(error)) throw new UserError('Stopped before the team was up.', 1, { cause: error });
    throw error;
  } finally {
    restore();
    engineEnd.abort();
    shown?.terminal.close();
  }
}

/** A person may have taken it down meanwhile. */
async function downIfUp(world: World, team: string, panes: TmuxBackend): Promise<void> {
  if (!(await openTeamFile(placeOf(world, team).paths.config).read())) return;
  await downTeam({ world, team, panes, force: false, purge: false, progress: () => {} });
}
