import type { TurnEnd } from '../../agent/events.js';
import { withDoings } from '../../headless/doings.js';
import { endOfStop, stopOf } from '../../headless/exitCode.js';
import { type RunEnd, type RunResult, resultOf, type WorktreeResult } from '../../headless/result.js';
import { agentLine } from '../../headless/stream.js';
import { hurried } from '../../host/children.js';
import type { WantedBackend } from '../../panes/choose.js';
import { ExitCode, messageOf, UserError } from '../../util/errors.js';
import { downTeam, leadMark } from '../end/down.js';
import { leadHere, teammatesHere } from '../members/leadHere.js';
import { isTakenDown } from '../members/leadProcess.js';
import { planRunAgain } from '../resume/resumeRun.js';
import { placeOf, startEngine, type World } from '../services.js';
import type { Session } from '../session/memberSession.js';
import { type BackendWish, decideBackend } from '../start/backends.js';
import { planTeam, type TeamPlan, type TeamWish } from '../start/planTeam.js';
import { type StartedTeam, startTeam } from '../start/startTeam.js';
import { keptWords } from '../start/worktrees.js';
import { ASKS_FOR_IT, type AskedAnswer, askedAnswer } from './askedAnswer.js';
import { NO_FACTS } from './failedRun.js';
import { joinWorktrees, lostWorktrees, withLoss } from './lostWorktrees.js';
import { runFacts } from './runFacts.js';
import { runningTasks } from './runningTasks.js';
import { createRunStream } from './runStream.js';
import { startedOrStopped } from './stoppedStart.js';
import { watchRun } from './watchRun.js';

export interface RunOptions {
  readonly wish: TeamWish;
  readonly backend: WantedBackend;
  readonly timeoutMs?: number | undefined;
  readonly keep: boolean;
  readonly approvePlans: boolean;
  /** The `session_id` of a run that is gone on with. */
  readonly resume?: string | undefined;
  /** `--json-schema`: a file. */
  readonly jsonSchema?: string | undefined;
  /** A line for a person. */
  readonly note: (line: string) => void;
  /** A line of `stream-json`. */
  readonly line: (line: object) => void;
  /** Aborted with a `Stop`: the signal that ends the run, `EPIPE` when nobody reads it any more, or a fault. */
  readonly signal: AbortSignal;
  /** Aborted when its end is to be quick: nobody is waited for any more. */
  readonly hurry?: AbortSignal | undefined;
  /** Called with the plan before anything is started. */
  readonly planned?: (plan: TeamPlan) => void;
}

export interface RunOutcome {
  readonly result: RunResult;
  readonly exitCode: ExitCode;
}

/** A whole team without a person: from its start until the work is done, and one result. @throws UserError before anything has started. */
export async function runTeam(world: World, options: RunOptions): Promise<RunOutcome> {
  const { wish, note } = options;
  const backendWish: BackendWish = {
    wanted: options.backend,
    command: 'run',
    detach: false,
    isTerminal: false,
    layout: 'panes',
  };
  const decided = await decideBackend(world, backendWish);
  const asked = options.jsonSchema === undefined ? undefined : await askedAnswer(options.jsonSchema);
  const again = options.resume === undefined ? undefined : await planRunAgain(world, options.resume, wish);
  const plan = asking(again?.plan ?? (await planTeam(world, wish, 'run')), asked);
  options.planned?.(plan);
  for (const notice of [...plan.untrusted, ...plan.notices]) note(notice);

  const { clock } = world;
  const begun = clock.monotonic();
  const engineEnd = new AbortController();
  const engine = startEngine(clock, engineEnd.signal, (error) => note(messageOf(error)));
  const timeout = new AbortController();
  const timer = untilTimeout(world, options.timeoutMs, timeout, engineEnd.signal);
  const stream = createRunStream(options.line);
  let lastEnd: TurnEnd | undefined;
  let sessionId = '';
  const lead = leadHere({
    world,
    engine,
    unattended: { approvePlans: options.approvePlans },
    ...(asked && { answerTool: asked.tool }),
    view: {
      card: (request) => note(`${request.from} asks: ${request.description ?? 'a plan waits for approval'}`),
      note,
      members: () => {},
      event(event) {
        if (event.type === 'joined') stream.joined(event);
        if (event.type === 'turn_ended') lastEnd = event.end;
        if (event.type === 'retry')
          note(
            `The model service does not answer (${event.error}); trying again in ${Math.round(event.delayMs / 100) / 10} s`,
          );
        const object = agentLine(event, sessionId);
        if (object) stream.line(object);
      },
    },
  });
  // Before the lead does anything.
  const opened = lead.opened.then((session) => {
    sessionId = session.parts.launch.sessionId;
    stream.begin({
      session_id: sessionId,
      team: plan.name,
      cwd: plan.cwd,
      model: plan.settings.model,
      permissionMode: plan.settings.leadMode,
      members: plan.members.map(({ name }) => name),
    });
    return session;
  });
  opened.catch(() => {});
  const parts = {
    world,
    decided,
    wish: backendWish,
    teammateHere: teammatesHere(world, engine, note),
    leadHere: lead.start,
    progress: note,
  };
  const starting = again ? again.start(parts, plan.lead.prompt) : startTeam({ ...parts, plan });
  starting.catch(() => engineEnd.abort());
  const over = AbortSignal.any([options.signal, timeout.signal]);
  const tellStop = () => note(`${endOfStop(stopOf(over.reason), '').errors.join(' ')} Ending the team.`);
  if (over.aborted) tellStop();
  else over.addEventListener('abort', tellStop, { once: true });
  options.hurry?.addEventListener('abort', () => note('Once more: whatever still runs is killed now.'), { once: true });
  const started = await startedOrStopped(world, plan.name, starting, { over, hurry: options.hurry });
  if ('exitCode' in started) {
    const facts = { ...NO_FACTS, team: plan.name, duration_ms: Math.round(clock.monotonic() - begun) };
    return { result: resultOf(started, facts), exitCode: started.exitCode };
  }
  const { open } = started;
  const session = await opened;
  asked?.answer.hopeless.addEventListener('abort', () => session.member.control.interrupt());

  // A lead that crashes leaves nothing to watch, also where its team cannot be put away.
  const unwatched = new AbortController();
  const watched = await Promise.race([
    watchRun({
      world,
      team: plan.name,
      arrivals: session.member.control.arrivals,
      sessionId,
      lastEnd: () => lastEnd,
      since: again?.since ?? 0,
      line: stream.line,
      asked,
      over: AbortSignal.any([over, unwatched.signal]),
    }),
    crashOf(lead.ended),
  ])
    .catch(brokenBy)
    .finally(() => unwatched.abort());
  const durationMs = clock.monotonic() - begun;
  const facts = await runFacts(placeOf(world, plan.name), { sessionId, durationMs }).catch((error: unknown) => {
    note(messageOf(error));
    return { ...NO_FACTS, session_id: sessionId, team: plan.name };
  });
  const tasks = await runningTasks(world, plan.name).catch(() => []);
  const { end, worktrees } = await takeDown(world, options, {
    plan,
    open,
    session,
    leadEnded: lead.ended,
    hurry: hurryOf(options),
    end: withDoings(watched, facts.members, tasks),
  });
  engineEnd.abort();
  await timer;
  stream.end();
  const given = asked?.answer.given();
  return {
    result: { ...resultOf(end, { ...facts, worktrees }), ...(given && { structured_output: given.value }) },
    exitCode: end.exitCode,
  };
}

function asking(plan: TeamPlan, asked: AskedAnswer | undefined): TeamPlan {
  const { prompt } = plan.lead;
  if (prompt === undefined)
    throw new UserError('There is nothing to do: say behind "run" what the team is for, or pipe it in.');
  return asked ? { ...plan, lead: { ...plan.lead, prompt: `${prompt}\n\n${ASKS_FOR_IT}` } } : plan;
}

/** Aborts `late` with `timeout` after so long. */
async function untilTimeout(
  { clock }: World,
  ms: number | undefined,
  late: AbortController,
  signal: AbortSignal,
): Promise<void> {
  if (ms === undefined) return;
  await clock.sleep(ms, signal).then(
    () => late.abort('timeout'),
    () => {},
  );
}

/** Only when the lead crashes. */
function crashOf(leadEnded: Promise<void>): Promise<never> {
  return new Promise((_, reject) => {
    leadEnded.catch(reject);
  });
}

function brokenBy(error: unknown): RunEnd {
  const exitCode = error instanceof UserError && error.exitCode !== ExitCode.ok ? error.exitCode : ExitCode.failed;
  return { subtype: 'error_during_execution', exitCode, text: '', errors: [messageOf(error)] };
}

interface Ending {
  readonly plan: TeamPlan;
  readonly open: StartedTeam['open'];
  readonly session: Session;
  readonly leadEnded: Promise<void>;
  readonly hurry: AbortSignal | undefined;
  readonly end: RunEnd;
}

/** A run that ends anyway has nothing left that a signal could stop: there the first one is in a hurry. */
function hurryOf({ signal, hurry }: RunOptions): AbortSignal | undefined {
  if (signal.aborted) return hurry;
  return hurry ? AbortSignal.any([hurry, signal]) : signal;
}

/** Ends the team. A run whose team cannot be ended, or that lost something, has failed. */
async function takeDown(
  world: World,
  { keep, note }: RunOptions,
  { plan, open, session, leadEnded, hurry, end }: Ending,
): Promise<{ end: RunEnd; worktrees: WorktreeResult[] }> {
  const lost = await lostWorktrees(world, plan.name, plan.cwd).catch(() => []);
  const stopped = end.exitCode === ExitCode.limit || end.exitCode === ExitCode.timeout || end.subtype === 'interrupted';
  session.member.control.interrupt();
  session.member.control.leave();
  const marks = [leadMark(world, plan)];
  await hurried(leadEnded, { marks, hurry, clock: world.clock }).catch(() => {});
  // "troupe down" in another shell waits for this process to end, and does all the rest.
  if (await isTakenDown(placeOf(world, plan.name).paths.config)) return { end, worktrees: lost };
  try {
    const { keptWorktrees } = await downTeam({
      world,
      team: plan.name,
      backend: open.backend,
      panes: open.panes,
      force: end.exitCode !== ExitCode.ok,
      purge: false,
      keep: keep || stopped,
      hurry,
      progress: note,
    });
    for (const kept of keptWorktrees) note(keptWords(kept));
    const kept = keptWorktrees.map(({ member, path, branch, why }) => ({ member, path, branch, holds: [...why] }));
    const worktrees = joinWorktrees(kept, lost);
    return { end: withLoss(end, worktrees), worktrees };
  } catch (error) {
    note(`The team could not be taken down: ${messageOf(error)}`);
    return { end: end.exitCode === ExitCode.ok ? brokenBy(error) : end, worktrees: lost };
  }
}
