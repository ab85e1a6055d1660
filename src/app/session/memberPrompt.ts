import { type Environment, systemPrompt } from '../../agent/systemPrompt.js';
import type { Tool } from '../../agent/tool.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { Launch } from '../../team/start/launch.js';
import { isOn } from '../knowledge/agentTypes.js';

export interface MemberPromptOptions {
  readonly launch: Launch;
  readonly definition: AgentDefinition | undefined;
  readonly tools: readonly Pick<Tool, 'name'>[];
  /** What it remembers, which ends the prompt. */
  readonly memory: string | undefined;
  readonly environment: Environment;
}

/** A member's system prompt, in blocks. */
export function memberPrompt({ launch, definition, tools, memory, environment }: MemberPromptOptions): string[] {
  const { team, member, role, settings } = launch;
  const isLead = role === 'lead';
  return systemPrompt({
    coordinates: isLead && isOn(launch.environment, 'TROUPE_COORDINATOR_MODE'),
    custom: settings.systemPrompt,
    definition: isPlain(definition)
      ? undefined
      : definition?.getSystemPrompt({ toolNames: tools.map(({ name }) => name) }),
    definitionAppends: definition?.appendSystemPrompt,
    append: settings.appendSystemPrompt,
    memory,
    environment,
    team: { team, name: member, isLead, plans: launch.modeAfterPlan !== undefined },
  });
}

/** A member of the built-in general type has the default prompt. */
function isPlain(definition: AgentDefinition | undefined): boolean {
  return definition?.agentType === 'general-purpose' && definition.source === 'built-in';
}
