import { isAbsolute, resolve } from 'node:path';
import { defaultAgentType } from '../../definitions/builtin/all.js';
import { type LoadedAgents, requireAgent } from '../../definitions/load.js';
import { narrowed, type PermissionMode } from '../../permissions/mode.js';
import type { TeamSettings } from '../../team/start/launch.js';
import type { MemberRequest } from '../../team/start/slot.js';
import { UserError } from '../../util/errors.js';
import { childModel } from '../session/childModel.js';

/** A member as a person, a template or a model wishes for it. */
export interface MemberWish {
  readonly name: string;
  readonly agent?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly mode?: PermissionMode | undefined;
  readonly plan?: boolean | undefined;
  readonly worktree?: boolean | undefined;
  readonly cwd?: string | undefined;
  readonly color?: string | undefined;
  readonly prompt?: string | undefined;
  readonly promptFrom?: string | undefined;
  readonly requestId?: string | undefined;
}

export interface MemberContext {
  readonly agents: LoadedAgents;
  readonly settings: TeamSettings;
  readonly cwd: string;
  /** That of whoever starts it. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Fills in what the wish leaves open, by one precedence for every way to start a member: the wish, then its agent's
 * definition, then the team's. @throws UserError for an unknown agent type.
 */
export function resolveMember(wish: MemberWish, { agents, settings, cwd, environment }: MemberContext): MemberRequest {
  const definition = requireAgent(agents, wish.agent ?? defaultAgentType(agents.agents));
  if (definition.permissionMode === 'bubble')
    throw new UserError(
      `"${definition.agentType}" goes on from the conversation of a running agent: it cannot be a member of a team.`,
    );
  const model = childModel({
    asked: wish.model,
    defined: definition.model,
    environment,
    parent: settings.model,
  });
  // A lead that denies everything unasked does not pass that on.
  const inherited = settings.leadMode === 'dontAsk' ? 'default' : settings.leadMode;
  const asksForPlan = wish.plan === true || wish.mode === 'plan';
  const chosen = (wish.mode === 'plan' ? undefined : wish.mode) ?? definition.permissionMode ?? inherited;
  const mode = narrowed(chosen, settings.leadMode);
  const isolation = wish.worktree ?? definition.isolation === 'worktree';
  return {
    name: wish.name,
    agentType: definition.agentType,
    tools: wish.tools,
    model,
    mode: asksForPlan ? 'plan' : mode,
    modeAfterPlan: asksForPlan ? mode : undefined,
    color: wish.color ?? definition.color,
    cwd: wish.cwd === undefined ? cwd : folderOf(wish.cwd, cwd),
    worktree: isolation,
    prompt: wish.prompt,
    ...(wish.promptFrom !== undefined && { promptFrom: wish.promptFrom }),
    requestId: wish.requestId,
  };
}

function folderOf(path: string, cwd: string): string {
  if (path === '') throw new UserError('The working directory is empty: give a path.');
  return isAbsolute(path) ? path : resolve(cwd, path);
}
