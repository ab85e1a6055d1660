import type { HookEvent } from '../../definitions/hook.js';
import type { HookEnd } from '../../hooks/answer.js';
import { agentIdOf, LEAD } from '../../team/member.js';
import type { TeamSettings } from '../../team/start/launch.js';
import type { WorktreeHooks } from '../../worktree/worktree.js';
import type { World } from '../services.js';
import { pluginData } from './pluginData.js';

export interface WorktreeHooksPlace {
  readonly settings: Pick<TeamSettings, 'hooks'> | undefined;
  readonly team: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Whose it is; empty where it is nobody's yet. */
  readonly sessionId?: string | undefined;
}

/** The hooks that make and take away worktrees in git's place; nothing where there are none. */
export function worktreeHooks(
  world: Pick<World, 'clock' | 'ids' | 'home'>,
  { settings, team, environment, sessionId = '' }: WorktreeHooksPlace,
): WorktreeHooks | undefined {
  const { sources = [], projectDir = '' } = settings?.hooks ?? {};
  const has = (event: HookEvent) => sources.some(({ events }) => events[event]?.length);
  if (!has('WorktreeCreate') && !has('WorktreeRemove')) return undefined;

  const ends = async (event: HookEvent, cwd: string, fields: Record<string, unknown>): Promise<readonly HookEnd[]> => {
    const { createHookEngine } = await import('../../hooks/run.js');
    const engine = createHookEngine({
      clock: world.clock,
      newId: () => world.ids.hex(12),
      projectDir,
      http: () => settings?.hooks ?? {},
      pluginData: (root) => pluginData(world.home, root),
      environment,
      keep: async () => '',
      // What goes wrong is in the error that whoever asked for a worktree is given.
      note: () => {},
    });
    const input = {
      session_id: sessionId,
      transcript_path: sessionId === '' ? '' : world.home.session(sessionId).transcript,
      cwd,
      hook_event_name: event,
      team_name: team,
      ...fields,
    };
    const mark = { member: `${agentIdOf(LEAD, team)}:1`, home: world.home.root };
    return engine.ends({ event, sources, input, cwd, mark });
  };
  /** Any that failed, else the first that printed something. */
  const oneOf = (all: readonly HookEnd[]): HookEnd =>
    all.find(({ exitCode }) => exitCode !== 0) ??
    all.find(({ stdout }) => stdout.trim() !== '') ?? { exitCode: 0, stdout: '', stderr: '' };
  return {
    ...(has('WorktreeCreate') && {
      create: async ({ name, cwd }) => oneOf(await ends('WorktreeCreate', cwd, { name })),
    }),
    ...(has('WorktreeRemove') && {
      remove: async ({ path }) => oneOf(await ends('WorktreeRemove', projectDir, { worktree_path: path })),
    }),
  };
}
