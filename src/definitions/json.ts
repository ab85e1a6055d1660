import { type AgentSource, agentFrom, type ParsedAgent } from './agent.js';
import { FileProblem, isRecord } from './frontmatter.js';

/**
 * One agent as JSON has it: `{description, prompt, …the keys of front matter}` by its name.
 * @throws FileProblem where it cannot be an agent.
 */
export function agentFromJson(name: string, value: unknown, file: string, source: AgentSource): ParsedAgent {
  const refuse = (reason: string) => new FileProblem(file, 1, reason);
  if (!isRecord(value)) throw refuse(`"${name}" must be an object with "description" and "prompt".`);
  const { prompt } = value;
  if (typeof prompt !== 'string' || prompt.trim() === '') throw refuse(`"${name}" has no "prompt".`);
  try {
    return agentFrom({ data: { ...value, name }, prompt: prompt.trim(), file, source, lineOf: () => 1 });
  } catch (error) {
    if (error instanceof FileProblem) throw refuse(`"${name}": ${error.reason}`);
    throw error;
  }
}
