import type { AgentDefinition } from '../agent.js';
import { explore } from './explore.js';
import { fork } from './fork.js';
import { generalPurpose } from './generalPurpose.js';
import { plan } from './plan.js';
import { statuslineSetup } from './statuslineSetup.js';
import { type GuideFacts, troupeGuide } from './troupeGuide.js';
import { verification } from './verification.js';
import { worker } from './worker.js';

/** What the environment says about the agents that there are. */
export interface AgentSwitches {
  /** Built-ins only: nothing is read from disk. */
  readonly simple?: boolean | undefined;
  readonly withoutBuiltIns?: boolean | undefined;
  readonly withoutExploreAndPlan?: boolean | undefined;
  /** The lead is a coordinator: one `worker` in place of the other built-ins. */
  readonly coordinator?: boolean | undefined;
}

/** The agents that come with the program. The guide is there for a person: without `guide` there is none. */
export function builtInAgents(
  { withoutBuiltIns, withoutExploreAndPlan, coordinator }: AgentSwitches,
  guide?: () => GuideFacts,
): AgentDefinition[] {
  if (withoutBuiltIns) return [];
  if (coordinator) return [worker];
  return [
    generalPurpose,
    ...(withoutExploreAndPlan ? [] : [explore, plan]),
    verification,
    statuslineSetup,
    ...(guide ? [troupeGuide(guide)] : []),
    fork,
  ];
}

/** The type of a call that names none: what there is for any task. */
export function defaultAgentType(agents: ReadonlyMap<string, unknown>): string {
  return !agents.has(generalPurpose.agentType) && agents.has(worker.agentType)
    ? worker.agentType
    : generalPurpose.agentType;
}
