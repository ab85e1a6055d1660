import type { TurnEnd } from '../../agent/events.js';
import { endOfTurn } from '../../headless/exitCode.js';
import { verdict } from '../../headless/quiet.js';
import { type RunEnd, type RunResult, resultOf } from '../../headless/result.js';
import { agentLine, initLine, teamLine } from '../../headless/stream.js';
import type { WantedBackend } from '../../panes/choose.js';
import { openEventLog } from '../../team/eventLog.js';
import { ExitCode, isAbort, messageOf, UserError } from '../../util/errors.js';
import { downTeam } from '../end/down.js';
import { leadHere, teammatesHere } from '../members/leadHere.js';
import { placeOf, startEngine, type World } from '../services.js';
import { type BackendWish, decideBackend } from './backends.js';
import { planTeam, type TeamPlan, type TeamWish } from './planTeam.js';
import { runFacts } from './runFacts.js';
import { takeSnapshot } from './snapshot.js';
import { startTeam } from './startTeam.js';
import { keptWords } from './worktrees.js';

/** Two looks this far apart must be equal. */
const LOOK_MS = 200;

export interface RunOptions {
  readonly wish: TeamWish;
  readonly backend: WantedBackend;
  readonly timeoutMs?: number | undefined;
  readonly keep: boolean;
  readonly approvePlans: boolean;
  /** A line for a person. */
  readonly note: (line: string) => void;
  /** A line of `stream-json`. */
  readonly line: (line: object) => void;
  /** Aborted with the name of the signal that ends the run, or `EPIPE` when nobody reads it any more. */
  readonly signal: AbortSignal;
  /** Called with the plan before anything is started. */
  readonly planned?: (plan: TeamPlan) => void;
}

export interface RunOutcome {
  readonly result: RunResult;
  readonly exitCode: ExitCode;
}

/** A whole team without a person: from its start until the work is done, and one result. @throws UserError before anything has started. */
export async function runTeam(world: World, options: RunOptions): Promise<RunOutcome> {
  const { wish, note, line, signal } = options;
  const backendWish: BackendWish = {
    wanted: options.backend,
    command: 'run',
    detach: false,
    isTerminal: false,
    layout: 'panes',
  };
  const decided = await decideBackend(world, backendWish);
  const plan = await planTeam(world, wish, 'run');
  if (plan.lead.prompt === undefined)
    throw new UserError('There is nothing to do: say behind "run" what the team is for, or pipe it in.');
  options.planned?.(plan);
  for (const notice of [...plan.untrusted, ...plan.notices]) note(notice);

  const { clock } = world;
  const begun = clock.monotonic();
  const engineEnd = new AbortController();
  const engine = startEngine(clock, engineEnd.signal, (error) => note(messageOf(error)));
  const place = placeOf(world, plan.name);
  let lastEnd: TurnEnd | undefined;
  let apiMs = 0;
  let sessionId = '';
  const lead = leadHere({
    world,
    engine,
    unattended: { approvePlans: options.approvePlans },
    view: {
      card: (request) => note(`${request.from} asks: ${request.description ?? 'a plan waits for approval'}`),
      note,
      members: () => {},
      event(event) {
        if (event.type === 'assistant') apiMs += event.durationMs;
        if (event.type === 'turn_ended') lastEnd = event.end;
        if (event.type === 'retry')
          note(
            `The model service does not answer (${event.error}); trying again in ${Math.round(event.delayMs / 100) / 10} s`,
          );
        const object = agentLine(event, sessionId);
        if (object) line(object);
      },
    },
  });
  // As soon as there is a session, so that this line is the first one.
  const opened = lead.opened.then((session) => {
    sessionId = session.parts.launch.sessionId;
    line(
      initLine({
        session_id: sessionId,
        team: plan.name,
        cwd: plan.cwd,
        model: plan.settings.model,
        permissionMode: plan.settings.leadMode,
        members: plan.members.map(({ name }) => name),
      }),
    );
    return session;
  });
  opened.catch(() => {});
  const starting = startTeam({
    world,
    plan,
    decided,
    wish: backendWish,
    teammateHere: teammatesHere(world, engine, note),
    leadHere: lead.start,
    progress: note,
  });
  starting.catch(() => engineEnd.abort());
  const { open } = await starting;
  const session = await opened;

  const timeout = new AbortController();
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : clock.sleep(options.timeoutMs, engineEnd.signal).then(
          () => timeout.abort('timeout'),
          () => {},
        );
  const crash = lead.ended.then(
    () => undefined,
    (error: unknown) =>
      ({ subtype: 'error_during_execution', exitCode: ExitCode.failed, text: '', errors: [messageOf(error)] }) as const,
  );
  const watching = new AbortController();
  const end: RunEnd = await Promise.race([
    untilOver({ over: AbortSignal.any([signal, timeout.signal, watching.signal]) }),
    crash.then((failed) => failed ?? untilOver({ over: watching.signal })),
  ]);
  watching.abort();

  const facts = await runFacts(place, { sessionId, durationMs: clock.monotonic() - begun, apiMs });
  const stopped = end.exitCode === ExitCode.limit || end.exitCode === ExitCode.timeout || end.subtype === 'interrupted';
  session.member.control.interrupt();
  session.member.control.leave();
  await crash;
  const { keptWorktrees } = await downTeam({
    world,
    team: plan.name,
    backend: open.backend,
    panes: open.panes,
    force: end.exitCode !== ExitCode.ok,
    purge: false,
    keep: options.keep || stopped,
    progress: note,
  });
  engineEnd.abort();
  await timer;
  for (const kept of keptWorktrees) note(keptWords(kept));
  const worktrees = keptWorktrees.map(({ member, path, branch, why }) => ({ member, path, branch, why }));
  return { result: resultOf(end, { ...facts, team: plan.name, worktrees }), exitCode: end.exitCode };

  async function untilOver({ over }: { over: AbortSignal }): Promise<RunEnd> {
    const events = openEventLog(place.paths.events, clock);
    let seen = 0;
    let before: Awaited<ReturnType<typeof takeSnapshot>> | undefined;
    let nudged: string | undefined;
    const text = () => (lastEnd?.reason === 'done' ? lastEnd.text : (lastEnd?.text ?? ''));
    for (;;) {
      for (const event of await events.read(seen)) {
        seen = event.seq;
        const object = teamLine(event, sessionId);
        if (object) line(object);
      }
      const failed = lastEnd && endOfTurn(lastEnd);
      if (failed) return failed;
      const now = await takeSnapshot(place, world.home);
      const state = verdict(before, now);
      before = now;
      if (state.kind === 'quiet' && !session.member.control.arrivals.wakes())
        return { subtype: 'success', exitCode: ExitCode.ok, text: text(), errors: [] };
      if (state.kind === 'stuck') {
        const open = state.open.map((what) => `- ${what}`).join('\n');
        if (nudged === state.signature)
          return {
            subtype: 'error_teammates_unfinished',
            exitCode: ExitCode.unfinished,
            text: text(),
            errors: [`Nobody works any more, but there is something open:\n${open}`],
          };
        nudged = state.signature;
        before = undefined;
        session.member.control.arrivals.add({
          text: `Nobody works any more, but this is open:\n${open}\nSee to it, or set right what is not true any more. Without a change the run ends as unfinished.`,
          from: 'lead',
          mail: [],
          wakes: true,
        });
      }
      try {
        await clock.sleep(LOOK_MS, over);
      } catch (error) {
        if (!isAbort(error) && !over.aborted) throw error;
        return stoppedBy(over.reason, text());
      }
    }
  }
}

function stoppedBy(reason: unknown, text: string): RunEnd {
  switch (reason) {
    case 'timeout':
      return {
        subtype: 'error_timeout',
        exitCode: ExitCode.timeout,
        text,
        errors: ['The run was not done within --timeout.'],
      };
    case 'SIGINT':
      return { subtype: 'interrupted', exitCode: ExitCode.interrupted, text, errors: ['Interrupted (SIGINT).'] };
    case 'EPIPE':
      return {
        subtype: 'interrupted',
        exitCode: ExitCode.brokenPipe,
        text,
        errors: ['Nobody reads the output any more.'],
      };
    default:
      return { subtype: 'interrupted', exitCode: ExitCode.terminated, text, errors: ['Ended (SIGTERM).'] };
  }
}
