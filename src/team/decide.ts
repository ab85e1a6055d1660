import { timeUuidOf } from '../host/ids.js';
import type { PermissionMode } from '../permissions/mode.js';
import { ExitCode, UserError } from '../util/errors.js';
import { openEventLog } from './eventLog.js';
import { LEAD } from './member.js';
import { type Sender, sendProtocol, type TeamPlace } from './messages.js';
import { type Answer, openRequests, suggestedRules, type TeamRequest } from './requests.js';
import { openTeamFile, type TeamFile } from './teamFile.js';

/** The person at the keyboard, or the lead's model. */
export type Decider = 'user' | typeof LEAD;

export interface PlanDecision {
  readonly approve: boolean;
  readonly feedback?: string | undefined;
  readonly mode?: PermissionMode | undefined;
}

/** Answers a plan; the first answer wins. @throws UserError for a late answer, or where the plan is not this one's to decide. */
export async function decidePlan(
  place: TeamPlace,
  team: TeamFile,
  by: Decider,
  id: string,
  { approve, feedback, mode }: PlanDecision,
): Promise<TeamRequest> {
  if (by === LEAD && team.approver === 'human') {
    throw new UserError(
      'Plans of this team are decided by the user, not by the lead. Wait: the answer goes to the member by itself.',
      ExitCode.refused,
    );
  }
  if (!approve && !feedback?.trim()) throw new UserError('A rejected plan needs feedback: what should be different?');
  const request = await openRequests(place.paths.requests, place.clock).find(id, 'plan');
  const answer = await record(place, team, request, {
    id: request.id,
    by,
    approve,
    ...(feedback && { feedback }),
    ...(mode && { mode }),
  });
  await tellPlanAnswer(place, senderOf(team, by), request.from, answer);
  return request;
}

/** Tells a plan's asker of its answer. Whoever finds that the one who decided may not have come to it does it again: it arrives once. */
export async function tellPlanAnswer(
  place: TeamPlace,
  sender: Sender,
  asker: string,
  { id, at, approve, feedback, mode }: Answer,
): Promise<void> {
  const payload = { request_id: id, approve, ...(feedback && { feedback }), ...(mode && { mode }) };
  await sendProtocol(place, sender, asker, 'plan_approval_response', payload, timeUuidOf(id, at));
}

export interface PermissionDecision {
  readonly allow: boolean;
  /** Why not; the model reads it. */
  readonly message?: string | undefined;
  /** Allow what the request's suggestion says for the whole team from now on. */
  readonly always?: boolean | undefined;
}

/** Answers a permission request; only the user may. @throws UserError for a late answer. */
export async function decidePermission(
  place: TeamPlace,
  team: TeamFile,
  id: string,
  { allow, message, always = false }: PermissionDecision,
): Promise<TeamRequest> {
  const request = await openRequests(place.paths.requests, place.clock).find(id, 'permission');
  const rules = allow && always ? rulesOf(request, team) : [];
  await record(place, team, request, {
    id: request.id,
    by: 'user',
    approve: allow,
    ...(message && { message }),
    ...(rules.length > 0 && { rules }),
  });
  await sendProtocol(place, { from: 'user' }, request.from, 'permission_response', {
    request_id: request.id,
    behavior: allow ? 'allow' : 'deny',
    ...(message && { message }),
    ...(rules.length > 0 && { rules }),
  });
  if (rules.length > 0) await addTeamRules(place, team, rules);
  return request;
}

async function addTeamRules(place: TeamPlace, team: TeamFile, rules: readonly string[]): Promise<void> {
  const addedAt = place.clock.now();
  const changed = await openTeamFile(place.paths.config).update((current) => ({
    ...current,
    teamRules: [
      ...(current.teamRules ?? []),
      ...rules.map((rule) => ({ behavior: 'allow' as const, rule, addedBy: 'user', addedAt })),
    ],
  }));
  for (const { name } of changed.members) {
    for (const rule of rules) await sendProtocol(place, senderOf(team, 'user'), name, 'team_permission', { rule });
  }
}

function rulesOf(request: TeamRequest, { settings }: TeamFile): string[] {
  if (settings?.onlyManagedRules)
    throw new UserError(
      'Only the rules of an administrator allow anything here (allowManagedPermissionRulesOnly). Allow it once, without --always.',
    );
  const rules = suggestedRules(request);
  if (rules.length === 0)
    throw new UserError(
      `There is no rule that would allow just this call of ${request.tool ?? 'the tool'}. Allow it once, without --always.`,
    );
  return rules;
}

async function record(
  place: TeamPlace,
  team: TeamFile,
  request: TeamRequest,
  given: Omit<Answer, 'at'>,
): Promise<Answer> {
  const answer = await openRequests(place.paths.requests, place.clock).answer(given);
  await openEventLog(place.paths.events, place.clock).append(`${request.kind}_decided`, {
    member: request.from,
    id: request.id,
    by: answer.by,
    approve: answer.approve,
    team: team.name,
  });
  return answer;
}

function senderOf(team: TeamFile, by: Decider): Sender {
  return by === 'user'
    ? { from: 'user' }
    : { from: LEAD, color: team.members.find(({ name }) => name === LEAD)?.color };
}
