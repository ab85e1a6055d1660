import type { TeamPaths } from '../../../config/paths.js';
import type { Clock } from '../../../host/clock.js';
import { clip, type StoryAnswer, type StoryRequest } from '../../../report/page/story.js';
import { type Answer, openRequests, type TeamRequest } from '../../../team/requests.js';
import type { Missing } from './missing.js';

const MAX_PLAN = 8000;
const MAX_CALL = 1000;
const MOST_REQUESTS = 300;

/** Plans and permissions that were asked for, and who decided what. */
export async function decisionsIn(
  { requests: folder }: TeamPaths,
  clock: Clock,
  missing: Missing,
): Promise<StoryRequest[]> {
  const requests = openRequests(folder, clock);
  const all = await missing.reading<TeamRequest[]>(folder, [], () => requests.all());
  const shown = all.slice(-MOST_REQUESTS);
  if (all.length > shown.length)
    missing.say(`The ${all.length - shown.length} oldest plans and permission requests; all of them are in ${folder}`);
  const told: StoryRequest[] = [];
  for (const request of shown) {
    const answer = await missing.reading(folder, undefined, () => requests.answerOf(request.id));
    told.push(toldRequest(request, answer));
  }
  for (const { path, reason } of await missing.reading(folder, [], () => requests.broken()))
    missing.say(`${path}: ${reason}`);
  return told;
}

function toldRequest(request: TeamRequest, answer: Answer | undefined): StoryRequest {
  const { id, kind, from, createdAt, tool } = request;
  const text = kind === 'plan' ? clip(request.plan ?? '', MAX_PLAN) : clip(callText(request), MAX_CALL);
  return { id, kind, from, at: createdAt, tool, text, answer: answer && toldAnswer(answer) };
}

function callText({ description = '', input }: TeamRequest): string {
  const command = typeof input === 'object' && input !== null && 'command' in input ? input.command : undefined;
  return typeof command === 'string' ? command : description || (JSON.stringify(input, null, 2) ?? '');
}

function toldAnswer({ at, by, approve, feedback, message, rules = [] }: Answer): StoryAnswer {
  return { at, by, approve, words: feedback ?? message, rules };
}
