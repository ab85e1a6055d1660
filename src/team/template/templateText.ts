import { isAbsolute, relative } from 'node:path';
import type { Task } from '../../tasks/task.js';
import { LEAD } from '../member.js';
import type { Member, TeamFile } from '../teamFile.js';

/** A team as a template: what starts the same one again. */
export interface WrittenTemplate {
  readonly text: string;
  /** What a template has no word for, one word each. */
  readonly leftOut: readonly string[];
}

/**
 * Writes a team down as it is: its members, tasks and rules, its lead's task as the body. What members were asked to
 * do is kept as it was said; whoever was asked to end is not in it.
 */
export async function writeTemplate(team: TeamFile, tasks: readonly Task[], name: string): Promise<WrittenTemplate> {
  const { stringify } = await import('yaml');
  const lead = team.members.find((member) => member.name === LEAD);
  const body = lead?.prompt ?? '';
  const fields = {
    lead: leadOf(team, lead),
    members: team.members
      .filter((member) => member.name !== LEAD && !member.dismissed)
      .map((member) => memberOf(member, lead?.cwd)),
    tasks: tasks.map((task) => taskOf(task, tasks)),
    permissions: { allow: rulesOf(team, 'allow'), deny: rulesOf(team, 'deny') },
    allowedPaths: (team.teamAllowedPaths ?? []).map(({ path, toolName }) => ({ path, toolName })),
    layout: team.layout,
    approver: team.approver,
    limits: limitsOf(team),
  };
  const variables = quotedPlaceholders([fields, body]);
  const front = {
    name,
    description: team.description ?? `The team "${team.name}" as it was.`,
    variables,
    ...fields,
  };
  return { text: `---\n${stringify(withoutEmpty(front), { lineWidth: 0 })}---\n${body}\n`, leftOut: leftOutOf(team) };
}

function leadOf({ settings }: TeamFile, lead: Member | undefined) {
  return {
    agent: lead?.agentType === LEAD ? undefined : lead?.agentType,
    model: settings?.model,
    permissionMode: lead?.mode ?? settings?.leadMode,
  };
}

function memberOf(member: Member, leadCwd: string | undefined) {
  const { name, agentType, model, prompt, color, worktreePath, cwd, mode, modeAfterPlan, tools } = member;
  const plan = modeAfterPlan !== undefined;
  return {
    name,
    agent: agentType,
    model,
    prompt,
    plan: plan || undefined,
    worktree: worktreePath !== undefined || undefined,
    cwd: worktreePath === undefined ? placeIn(leadCwd, cwd) : undefined,
    color,
    permissionMode: plan ? modeAfterPlan : mode,
    tools,
  };
}

/** Relative where it lies in the lead's folder; nothing where it is that folder. */
function placeIn(leadCwd: string | undefined, cwd: string): string | undefined {
  if (leadCwd === undefined) return cwd;
  const path = relative(leadCwd, cwd);
  if (path === '') return undefined;
  return path.startsWith('..') || isAbsolute(path) ? cwd : path;
}

function taskOf({ subject, description, blockedBy, owner, assigned }: Task, all: readonly Task[]) {
  const after = blockedBy.flatMap((id) => {
    const index = all.findIndex((task) => task.id === id);
    return index < 0 ? [] : [index + 1];
  });
  return { subject, description, after, owner: assigned ? owner : undefined };
}

function rulesOf({ settings, teamRules = [] }: TeamFile, behavior: 'allow' | 'deny'): string[] {
  const added = teamRules.flatMap((rule) => (rule.behavior === behavior ? [rule.rule] : []));
  return [...new Set([...(settings?.[behavior] ?? []), ...added])];
}

function limitsOf({ settings }: TeamFile) {
  return { turns: settings?.maxTurns, usd: settings?.maxBudgetUsd };
}

/** Braces that are in the words already stay: each is a variable whose value is itself. */
function quotedPlaceholders(value: unknown): Record<string, { default: string }> {
  const names = [...JSON.stringify(value).matchAll(/(?<!\$)\{\{ *([\p{L}_][\p{L}\p{N}_-]*) *\}\}/gu)].map(
    ([, name = '']) => name,
  );
  return Object.fromEntries(names.map((name) => [name, { default: `{{${name}}}` }]));
}

function leftOutOf({ settings }: TeamFile): string[] {
  if (!settings) return [];
  const { effort, fallbackModel, systemPrompt, appendSystemPrompt, agents, pluginDirs, ask } = settings;
  const given = { effort, fallbackModel, systemPrompt, appendSystemPrompt, agents, pluginDirs };
  const names = Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  return ask.length > 0 ? [...names, 'permissions.ask'] : names;
}

/** Without what says nothing: absent values, empty lists and objects. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .map(([key, inner]): [string, unknown] => [key, withoutEmpty(inner)])
    .filter(([, inner]) => !isEmpty(inner));
  return Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === '') return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
