import { introduction } from '../../agent/introduction.js';
import { type AgentDefinition, whenToUse } from '../../definitions/agent.js';
import { LEAD } from '../../team/member.js';
import { type Member, openTeamFile } from '../../team/teamFile.js';
import { head, oneLine } from '../../util/text.js';
import type { SessionParts } from './sessionGround.js';

/** Tasks that are told of one by one. */
const MAX_TASKS = 50;
const MAX_PLAN = 20_000;

export type Facts = Pick<SessionParts, 'place' | 'launch' | 'tasks' | 'requests' | 'state'>;

/** What a member knew of its team, told again from disk when its conversation goes on from a summary. */
export async function reminders(facts: Facts, agents: readonly AgentDefinition[]): Promise<string> {
  const team = await openTeamFile(facts.place.paths.config).read();
  const parts = [
    introductionOf(team?.members ?? [], facts.launch.member, agents),
    await openTasks(facts),
    await plans(facts),
    `Your permission mode: ${facts.state.mode}.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Tells the member `self` who the others are, and which agents it may start. */
export function introductionOf(members: readonly Member[], self: string, agents: readonly AgentDefinition[]): string {
  const others = members.filter(({ name }) => name !== self);
  return introduction({
    members: others.map(({ name, agentType, planModeRequired }) => ({ name, agentType, plans: planModeRequired })),
    agents: agents.map((agent) => ({ type: agent.agentType, whenToUse: whenToUse(agent) })),
  });
}

async function openTasks({ tasks }: Facts): Promise<string> {
  const open = (await tasks.list()).filter(({ status }) => status !== 'completed');
  if (open.length === 0) return '';
  return [
    'Open tasks of the shared list:',
    ...open
      .slice(0, MAX_TASKS)
      .map(
        ({ id, subject, status, owner }) => `- ${id} (${status}${owner ? `, ${owner}` : ''}): ${oneLine(subject, 200)}`,
      ),
    ...(open.length > MAX_TASKS ? [`(${open.length - MAX_TASKS} more: TaskList)`] : []),
  ].join('\n');
}

/** A teammate's own plan, as it was approved or waits; for the lead, what waits for an answer. */
async function plans({ launch, requests }: Facts): Promise<string> {
  if (launch.member === LEAD) {
    const open = (await requests.open()).filter(({ kind }) => kind === 'plan');
    return open.map(({ id, from }) => `A plan of ${from} waits for an answer (request_id ${id}).`).join('\n');
  }
  const own = (await requests.all()).filter(({ kind, from }) => kind === 'plan' && from === launch.member);
  for (const { id, plan = '' } of own.toReversed()) {
    const answer = await requests.answerOf(id);
    if (answer && !answer.approve) continue;
    const state = answer ? `was approved by ${answer.by}` : `waits for an answer (request_id ${id})`;
    return `Your plan, which ${state}:\n${plan.length > MAX_PLAN ? `${head(plan, MAX_PLAN)}\n[cut]` : plan}`;
  }
  return '';
}
