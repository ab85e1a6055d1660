import { openEventLog } from '../../team/eventLog.js';
import { plain } from '../../team/template/template.js';
import { UserError } from '../../util/errors.js';
import { placeOf, type World } from '../services.js';
import { againRequest } from '../start/again.js';
import type { TeamPlan, TeamWish } from '../start/planTeam.js';
import type { StartedTeam } from '../start/startTeam.js';
import { findBySession } from './findTeam.js';
import { planResume, type ResumePlan } from './resumePlan.js';
import { resumeTeam, type TeamResume } from './resumeTeam.js';

/** A run that goes on, in the form of one that begins. */
export interface RunAgain {
  readonly plan: TeamPlan;
  /** The last event of the run before: what comes behind it is this one's. */
  readonly since: number;
  start(parts: Omit<TeamResume, 'plan'>, prompt: string | undefined): Promise<StartedTeam>;
}

const GO_ON = 'The run was stopped before the work was done. Look how it stands, and go on with it.';

/** What holds for the whole life of a team, and was said when it began. */
const SETTLED = [
  'template',
  'name',
  'model',
  'fallbackModel',
  'effort',
  'permissionMode',
  'settings',
  'agents',
  'systemPrompt',
  'appendSystemPrompt',
] as const satisfies readonly (keyof TeamWish)[];

/** The run whose result had this session id, as it would go on. @throws UserError for an unknown one, or one that still runs. */
export async function planRunAgain(world: World, sessionId: string, wish: TeamWish): Promise<RunAgain> {
  refuseSettled(wish);
  const found = await findBySession(world, sessionId);
  const words = wish.words.join(' ').trim();
  const { maxTurns, maxBudgetUsd } = wish;
  const again = await planResume(world, found, {
    prompt: words === '' ? GO_ON : words,
    maxTurns,
    maxBudgetUsd,
    interactive: false,
  });
  const { paths } = placeOf(world, again.name);
  const events = found.archived ? [] : await openEventLog(paths.events, world.clock).read();
  return {
    plan: asPlan(again),
    since: events.at(-1)?.seq ?? 0,
    start: (parts, prompt) => resumeTeam({ ...parts, plan: { ...again, prompt } }),
  };
}

function refuseSettled(wish: TeamWish): void {
  const given: string[] = SETTLED.filter((key) => wish[key] !== undefined);
  if (wish.allowedTools.length > 0) given.push('allowedTools');
  if (wish.disallowedTools.length > 0) given.push('disallowedTools');
  if (wish.worktrees) given.push('worktrees');
  if (Object.keys(wish.set).length > 0) given.push('set');
  if (given.length === 0) return;
  const flags = given.map((key) => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  throw new UserError(
    `A run that goes on keeps what it began with: leave out ${flags.join(', ')}. --max-turns, --max-budget-usd and --timeout can be new.`,
  );
}

function asPlan(again: ResumePlan): TeamPlan {
  const { name, cwd, settings, environment, team, prompt } = again;
  return {
    name,
    cwd,
    settings,
    environment,
    expanded: plain(prompt ?? ''),
    lead: { ...againRequest(again.lead, team, settings), role: 'lead', prompt },
    members: again.members.map((member) => againRequest(member, team, settings)),
    layout: team.layout ?? 'panes',
    notices: [],
    untrusted: [],
    replaces: false,
  };
}
