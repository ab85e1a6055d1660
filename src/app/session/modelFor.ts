import { createAnthropicClient } from '../../model/anthropic.js';
import { createBudget } from '../../model/budget.js';
import { sharedStore } from '../../model/sharedTraffic.js';
import { createTraffic } from '../../model/traffic.js';
import type { ModelClient } from '../../model/types.js';
import { useOwnModels } from '../../model/userModels.js';
import type { Launch } from '../../team/start/launch.js';
import { placeOf, type World } from '../services.js';
import { requestLimit } from './requestLimit.js';
import { spentBy } from './teamRecords.js';

/** A member's way to its models: its environment, its team's budget, and the traffic of all teams of this home. */
export async function modelFor(world: World, launch: Launch): Promise<ModelClient> {
  const { clock, ids, home } = world;
  const { environment, settings, team } = launch;
  await useOwnModels(home.models);
  return createAnthropicClient({
    clock,
    ids,
    env: environment,
    traffic: createTraffic({ clock, ids, store: sharedStore(home.traffic, ids), limit: requestLimit(environment) }),
    ...(settings.fallbackModel && { fallbackModel: settings.fallbackModel }),
    ...(settings.maxBudgetUsd !== undefined && {
      budget: createBudget({ limitUsd: settings.maxBudgetUsd, spent: () => spentBy(placeOf(world, team)) }),
    }),
  });
}
