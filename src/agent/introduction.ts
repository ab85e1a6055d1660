export interface Introduction {
  /** The other members, with what each is. */
  readonly members: readonly {
    readonly name: string;
    readonly agentType?: string | undefined;
    readonly plans?: boolean | undefined;
  }[];
  /** The kinds of agent that an Agent call may name. */
  readonly agents: readonly { readonly type: string; readonly whenToUse: string }[];
}

/**
 * Who else is there, told once in the conversation and not in the system prompt or a tool's description: the roster
 * changes while the prompt cache must not.
 */
export function introduction({ members, agents }: Introduction): string {
  return [
    '<team-information>',
    ...(members.length === 0
      ? []
      : [
          'Members of the team besides you:',
          ...members.map(
            ({ name, agentType, plans }) =>
              `- ${name}${agentType ? `, ${agentType}` : ''}${plans ? ', hands in a plan first' : ''}`,
          ),
        ]),
    ...(agents.length === 0
      ? []
      : ['Agent types for the Agent tool:', ...agents.map(({ type, whenToUse }) => `- ${type}: ${whenToUse}`)]),
    '</team-information>',
  ].join('\n');
}
