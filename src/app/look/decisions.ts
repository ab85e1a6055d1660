import type { PermissionMode } from '../../permissions/mode.js';
import { decidePermission, decidePlan } from '../../team/decide.js';
import { requestBody, shortBody } from '../../team/requestBody.js';
import { openRequests, type RequestKind, type TeamRequest } from '../../team/requests.js';
import { placeOf, type World } from '../services.js';
import { statusOf } from './status.js';
import { chooseTeam, refuseMembers } from './teams.js';

/** What waits for a person, oldest first. */
export async function openDecisions(
  world: World,
  team: string | undefined,
  kind: RequestKind,
): Promise<(TeamRequest & { color?: string })[]> {
  const file = await chooseTeam(world, team);
  const requests = await openRequests(placeOf(world, file.name).paths.requests, world.clock).open();
  return requests
    .filter((request) => request.kind === kind)
    .map((request) => {
      const color = file.members.find(({ name }) => name === request.from)?.color;
      return { ...request, ...(color && { color }) };
    });
}

/** A permission request for a person, with what its description does not show; all of that where `whole`. */
export function requestLines(request: TeamRequest, whole = false): string[] {
  const { id, from, description = '' } = request;
  const body = whole
    ? requestBody(request, description.length)
    : shortBody(request, description.length, `troupe permissions ${id.slice(0, 8)}`);
  return [`${id} ${from}: ${description}`, ...body.map((line) => `  │ ${line}`)];
}

/** The open permission request that an id, or the beginning of one, means. @throws UserError that lists what waits. */
export async function openPermission(world: World, team: string | undefined, id: string): Promise<TeamRequest> {
  const file = await chooseTeam(world, team);
  return openRequests(placeOf(world, file.name).paths.requests, world.clock).find(id, 'permission');
}

/** Whose model asks the person at its terminal, and what: it is answered there. */
export async function openQuestions(
  world: World,
  team: string | undefined,
): Promise<{ readonly from: string; readonly question: string }[]> {
  const file = await chooseTeam(world, team);
  const { members } = await statusOf(world, file);
  return members.flatMap(({ name, state, questions = [] }) =>
    state === 'working' ? questions.map((question) => ({ from: name, question })) : [],
  );
}

export async function answerPlan(
  world: World,
  team: string | undefined,
  id: string,
  decision: { approve: boolean; feedback?: string | undefined; mode?: PermissionMode | undefined },
): Promise<TeamRequest> {
  refuseMembers(decision.approve ? 'approve' : 'reject');
  const file = await chooseTeam(world, team);
  return decidePlan(placeOf(world, file.name), file, 'user', id, decision);
}

export async function answerPermission(
  world: World,
  team: string | undefined,
  id: string,
  decision: { allow: boolean; always?: boolean; message?: string | undefined },
): Promise<TeamRequest> {
  refuseMembers(decision.allow ? 'allow' : 'deny');
  const file = await chooseTeam(world, team);
  return decidePermission(placeOf(world, file.name), file, id, decision);
}
