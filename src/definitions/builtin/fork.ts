import type { AgentDefinition } from '../agent.js';

/** Its tools and its system prompt are its parent's, byte for byte, so that the prompt cache holds. */
export const fork: AgentDefinition = {
  agentType: 'fork',
  whenToUse:
    'Yourself once more, with all that you know of this conversation: for work whose steps you need not see, only its result.',
  forksParentContext: true,
  sharesPrefix: true,
  model: 'inherit',
  permissionMode: 'bubble',
  background: true,
  getSystemPrompt: () => '',
  source: 'built-in',
};
