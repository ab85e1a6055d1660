import { addSpent, cacheShareOf, NOTHING_SPENT, type Spent, sumByModel } from '../../model/usage.js';
import { LEAD } from '../../team/member.js';
import { type RunRecord, readRunRecord } from '../../team/runRecord.js';
import type { World } from '../services.js';
import { chooseAnyTeam, pathsOfAny } from './anyTeam.js';

export interface Cost {
  readonly tokens: RunRecord['tokens'];
  readonly webSearches: number;
  readonly costUsd: number;
  /** The part of what went in that the cache had, from 0 to 1; `null` where nothing went in. */
  readonly cacheShare: number | null;
}

export interface ModelCost extends Cost {
  readonly model: string;
}

export interface TeamCosts {
  readonly team: string;
  /** Where it lies in the archive. */
  readonly archive?: string;
  /** The lead first. What its sub-agents used is a member's own. */
  readonly members: readonly (Cost & { readonly name: string; readonly models: readonly ModelCost[] })[];
  /** The same by model, the dearest first. */
  readonly models: readonly ModelCost[];
  readonly total: Cost;
}

/** What a team has used, an archived one too, from its members' records. */
export async function costsOf(world: Pick<World, 'home'>, given: string | undefined): Promise<TeamCosts> {
  const found = await chooseAnyTeam(world, given);
  const { team, archived } = found;
  const paths = pathsOfAny(world, found);
  const leadFirst = team.members.toSorted((a, b) => Number(b.name === LEAD) - Number(a.name === LEAD));
  const members = await Promise.all(
    leadFirst.map(async ({ name, model = '' }) => {
      const record = await readRunRecord(paths.runRecord(name));
      return { name, models: record ? modelsOf(record, model) : {} };
    }),
  );
  const byModel = sumByModel(members.map(({ models }) => models));
  return {
    team: team.name,
    ...(archived && { archive: archived.path }),
    members: members.map(({ name, models }) => ({
      name,
      ...costOf(Object.values(models)),
      models: modelCosts(Object.entries(models)),
    })),
    models: modelCosts([...byModel]),
    total: costOf([...byModel.values()]),
  };
}

/** What a member has used by model. A record of an older version has sums alone. */
export function modelsOf({ models, tokens, costUsd }: RunRecord, model: string): Readonly<Record<string, Spent>> {
  if (models) return models;
  const isNothing = costUsd === 0 && Object.values(tokens).every((count) => count === 0);
  return isNothing ? {} : { [model]: { ...tokens, costUsd } };
}

function modelCosts(models: readonly (readonly [string, Spent])[]): ModelCost[] {
  return models
    .map(([model, spent]) => ({ model, ...costOf([spent]) }))
    .sort((a, b) => b.costUsd - a.costUsd || a.model.localeCompare(b.model));
}

function costOf(all: readonly Spent[]): Cost {
  const spent = all.reduce(addSpent, NOTHING_SPENT);
  const { costUsd, webSearches = 0, input, output, cacheRead, cacheWrite } = spent;
  return {
    tokens: { input, output, cacheRead, cacheWrite },
    webSearches,
    costUsd,
    cacheShare: cacheShareOf(spent),
  };
}
