import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StatusLine } from '../../config/statusLineSettings.js';
import type { HookEnd } from '../../hooks/answer.js';
import { runCommandHook } from '../../hooks/command.js';
import { endMarked, type Mark } from '../../host/children.js';
import { agentIdOf, LEAD } from '../../team/member.js';
import type { Launch } from '../../team/start/launch.js';
import { openTeamFile } from '../../team/teamFile.js';
import { messageOf } from '../../util/errors.js';
import { PLAIN_STYLE, type StyledLine, styledLines } from '../../util/styledText.js';
import { oneLine } from '../../util/text.js';
import { statusOf, type TeamStatus } from '../look/status.js';
import type { World } from '../services.js';

/** The lines that the command prints now; nothing where they would be those of the last time. */
export interface StatusLineRun {
  (statusLine: StatusLine): Promise<readonly StyledLine[] | undefined>;
  /** Ends whatever its runs have left in the background. */
  endAll(): Promise<void>;
}

export interface StatusLineRunDeps {
  readonly world: World;
  readonly launch: Launch;
  readonly cwd: () => string;
  /** A line for the person, who is told of each once. */
  readonly tell: (line: string) => void;
  readonly signal: AbortSignal;
}

const LIMIT_S = 5;
const MOST_LINES = 3;
const MOST_PADDING = 40;
const EMPTY: readonly StyledLine[] = [[]];

/** Runs the command of a status line with what hooks have: environment, folder, mark. */
export function createStatusLineRun({ world, launch, cwd, tell, signal }: StatusLineRunDeps): StatusLineRun {
  const { clock, home } = world;
  const { team, member, generation, settings } = launch;
  const file = openTeamFile(home.team(team).config);
  const projectDir = settings.hooks?.projectDir ?? settings.live?.cwd ?? launch.cwd;
  const mark: Mark = {
    member: `${agentIdOf(member, team)}:${generation}`,
    home: launch.home,
    call: 'status-line',
  };
  let before = '';

  async function ended(command: string, input: object): Promise<HookEnd | undefined> {
    const late = new AbortController();
    const done = new AbortController();
    clock.sleep(LIMIT_S * 1000, done.signal).then(
      () => late.abort(),
      () => {},
    );
    try {
      const end = await runCommandHook({
        hook: { type: 'command', command },
        input: `${JSON.stringify(input)}\n`,
        cwd: cwd(),
        env: { ...launch.environment, CLAUDE_PROJECT_DIR: projectDir },
        mark,
        clock,
        signal: AbortSignal.any([signal, late.signal]),
      });
      if (late.signal.aborted) tell(emptyWords(command, `took more than ${LIMIT_S} s and was ended`));
      return end;
    } catch (error) {
      tell(emptyWords(command, messageOf(error)));
      return undefined;
    } finally {
      done.abort();
    }
  }

  const run = async ({ command, padding = 0 }: StatusLine) => {
    const current = await file.require();
    const status = await statusOf(world, current);
    const facts = JSON.stringify([command, padding, cwd(), withoutHeartbeats(status)]);
    if (facts === before) return undefined;
    before = facts;
    const input = {
      ...status,
      hook_event_name: 'Status',
      session_id: launch.sessionId,
      transcript_path: home.session(launch.sessionId).transcript,
      cwd: cwd(),
      model: modelOf(status, launch),
      workspace: { current_dir: cwd(), project_dir: projectDir },
      ...(await versionOf(world)),
      cost: {
        total_cost_usd: sum(status, ({ costUsd = 0 }) => costUsd),
        total_api_duration_ms: sum(status, ({ apiMs = 0 }) => apiMs),
        total_duration_ms: Math.max(0, clock.now() - current.createdAt),
      },
    };
    const end = await ended(command, input);
    if (!end) return EMPTY;
    if (end.exitCode !== 0) {
      tell(emptyWords(command, `ended with ${end.exitCode} ${oneLine(end.stderr, 200)}`.trim()));
      return EMPTY;
    }
    const space = { text: ' '.repeat(Math.min(padding, MOST_PADDING)), style: PLAIN_STYLE };
    return styledLines(end.stdout, MOST_LINES).map((line) => (padding > 0 ? [space, ...line] : line));
  };
  return Object.assign(run, {
    endAll: async () => void (await endMarked(mark, clock)),
  });
}

function emptyWords(command: string, why: string): string {
  return `The statusLine command ${oneLine(command)} ${why}: its line stays empty.`;
}

const withoutHeartbeats = ({ members, ...team }: TeamStatus) => ({
  ...team,
  members: members.map(({ heartbeat: _, counter: __, ...member }) => member),
});

function sum({ members }: TeamStatus, of: (member: TeamStatus['members'][number]) => number): number {
  return members.reduce((total, member) => total + of(member), 0);
}

function modelOf({ members }: TeamStatus, launch: Launch): { id: string; display_name: string } {
  const id = members.find(({ name }) => name === LEAD)?.model || launch.model;
  return { id, display_name: displayName(id) };
}

/** `claude-sonnet-4-5-20250929` as people say it: `Sonnet 4.5`. */
function displayName(id: string): string {
  const [, name = id, version = ''] = /^claude-([a-z]+)-?((?:\d{1,2}(?:-|$))*)/.exec(id) ?? [];
  if (name === id) return id;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${version.replace(/-$/, '').replaceAll('-', '.')}`.trim();
}

async function versionOf({ shippedTemplates }: World): Promise<{ version?: string }> {
  try {
    const read: unknown = JSON.parse(await readFile(join(shippedTemplates, '..', 'package.json'), 'utf8'));
    return typeof read === 'object' && read !== null && 'version' in read ? { version: String(read.version) } : {};
  } catch {
    return {};
  }
}
