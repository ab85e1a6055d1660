import { handOver } from '../../host/run.js';
import { LEAD, requireMember } from '../../team/member.js';
import { paneOf } from '../../team/shutdown.js';
import { saidIn } from '../../transcript/resume.js';
import { openTranscript } from '../../transcript/transcript.js';
import { messageLines } from '../../tui/paneRenderer.js';
import { ExitCode, isAbort, UserError } from '../../util/errors.js';
import { shellLine } from '../../util/text.js';
import type { World } from '../services.js';
import { recordedBackend } from '../start/backends.js';
import { chooseAnyTeam } from './anyTeam.js';
import { chooseTeam } from './teams.js';

/** The last lines of a member's pane; of its transcript where it has none. */
export async function peek(world: World, team: string | undefined, member: string, lines: number): Promise<string[]> {
  const { team: file, archived } = await chooseAnyTeam(world, team);
  const found = requireMember(file, member);
  const hasPane = found.tmuxPaneId.startsWith('%') && !archived;
  const backend = hasPane ? recordedBackend(world, file) : undefined;
  const shown = backend ? await backend.capture(paneOf(found), lines).catch(() => '') : '';
  if (shown.trim() !== '') return shown.trimEnd().split('\n').slice(-lines);
  return (await transcriptLines(world, found.sessionId ?? '')).slice(-lines);
}

async function transcriptLines({ home, clock, ids }: World, sessionId: string): Promise<string[]> {
  const transcript = openTranscript(home.session(sessionId).transcript, { sessionId, clock, ids });
  const { entries } = await transcript.load();
  return saidIn(entries).flatMap((said) =>
    said === 'summary' ? ['… the conversation goes on from a summary'] : messageLines(said),
  );
}

/** The same, then each line that is new, until `signal` is aborted. */
export async function* followPeek(
  world: World,
  team: string | undefined,
  member: string,
  lines: number,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const file = await chooseTeam(world, team);
  const { sessionId = '' } = requireMember(file, member);
  let shown = Math.max(0, (await transcriptLines(world, sessionId)).length - lines);
  for (;;) {
    const all = await transcriptLines(world, sessionId);
    yield* all.slice(shown);
    shown = all.length;
    try {
      await world.clock.sleep(300, signal);
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      throw error;
    }
  }
}

/**
 * Shows the team's panes in this terminal, with the member's in front. Members without panes are for the dashboard: it
 * returns who.
 */
export async function attach(
  world: World,
  team: string | undefined,
  member: string | undefined,
): Promise<{ readonly team: string; readonly member: string } | undefined> {
  const file = await chooseTeam(world, team);
  const found = requireMember(file, member ?? LEAD);
  const backend = recordedBackend(world, file);
  if (!backend) return { team: file.name, member: found.name };
  const [program = 'tmux', ...args] = backend.attachCommand(paneOf(found));
  const { code } = await handOver(program, args);
  if (code !== 0)
    throw new UserError(`tmux could not attach. By hand: ${shellLine([program, ...args])}`, ExitCode.failed);
  return undefined;
}
