import * as z from 'zod/mini';
import type { ApiUsage } from '../../src/headless/result.js';
import { costOf } from '../../src/model/catalogue.js';
import type { Stage } from './program.js';

export interface Counted {
  /** `team-lead`, `bob`, or a sub-agent's `bob/…`. */
  readonly agent: string;
  readonly model: string;
  readonly usage: ApiUsage;
  readonly usd: number;
}

const Answer = z.object({
  model: z.string(),
  usage: z.object({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_input_tokens: z.number(),
    cache_creation_input_tokens: z.number(),
  }),
});

/** What the model server counted for each request that it answered. */
export function countedBy({ server }: Pick<Stage, 'server'>): Counted[] {
  return server
    .log()
    .filter(({ status }) => status === 200)
    .map(({ userId, reply }) => {
      const { model, usage } = Answer.parse(reply);
      const counts = {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cacheRead: usage.cache_read_input_tokens,
        cacheWrite: usage.cache_creation_input_tokens,
      };
      return { agent: userId.split(':').slice(2).join(':'), model, usage, usd: costOf(model, counts) };
    });
}

const again = (command: string) => `[{ text: Once more. }, { tool: Bash, input: { command: '${command}' } }]`;
/** Rules of an agent that never comes to an end, and does not go round in circles. */
export const GOES_ON = `[{ when: { turn: 1 }, reply: ${again('sleep 0.2; echo x')} }, { reply: ${again('sleep 0.2; echo x{{result}}')} }]`;

/**
 * The requests of agents that could know that the limit was reached. Of each other agent the newest answer may not be
 * written down yet: all before it are, for it has asked again since.
 */
export function askedOver(limitUsd: number, counted: readonly Counted[]): Counted[] {
  return counted.filter(({ agent }, index) => {
    const before = counted.slice(0, index);
    const newest = new Map(before.map((request) => [request.agent, request]));
    const known = before.filter((request) => request.agent === agent || newest.get(request.agent) !== request);
    return sumOf(known).usd >= limitUsd;
  });
}

export function sumOf(counted: readonly Counted[]): { usage: ApiUsage; usd: number } {
  const sum = (key: keyof ApiUsage) => counted.reduce((total, { usage }) => total + usage[key], 0);
  return {
    usage: {
      input_tokens: sum('input_tokens'),
      output_tokens: sum('output_tokens'),
      cache_creation_input_tokens: sum('cache_creation_input_tokens'),
      cache_read_input_tokens: sum('cache_read_input_tokens'),
    },
    usd: counted.reduce((total, { usd }) => total + usd, 0),
  };
}
