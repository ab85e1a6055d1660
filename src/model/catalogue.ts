import type { Usage } from './types.js';

/** US dollars for a million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
}

export type ThinkingForm = 'adaptive' | 'enabled' | 'disabled' | 'between_tools';

/** What a model is and takes. Source: the models overview, pricing and thinking pages of the API's documentation, autumn 2026. */
export interface ModelFacts {
  readonly id: string;
  /** Dated names of the same model. */
  readonly snapshots: readonly string[];
  /** Short names that a person may use. The API does not know them. */
  readonly aliases: readonly string[];
  /** Tokens. */
  readonly contextWindow: number;
  /** Tokens. */
  readonly maxOutput: number;
  readonly prices: Prices;
  /** Prices of a whole request whose prompt, cached tokens included, has more than `above` tokens. */
  readonly longPrompt?: { readonly above: number; readonly prices: Prices };
  /** Tokens that a prefix must have to be cached at all. */
  readonly cacheMinimum: number;
  /** Whether temperature, top_p and top_k may be set. */
  readonly takesSampling: boolean;
  readonly takesEffort: boolean;
  /** Whether tool_choice may be `any` or `tool`. */
  readonly takesForcedTool: boolean;
  readonly thinking: readonly ThinkingForm[];
  /** Whether `disabled` is refused at the efforts `xhigh` and `max`. */
  readonly thinksAtTopEffort: boolean;
  /** Whether it can use the service's own web search. */
  readonly searchesWeb: boolean;
}

const MILLION = 1_000_000;
/** US dollars; ten for a thousand. Source: the pricing page of the API's documentation. */
const WEB_SEARCH = 0.01;

/** Cache writes cost 1.25 times (5 minutes) and twice (1 hour) the input, reads a tenth unless stated. */
export function prices(input: number, output: number, cacheRead = input / 10): Prices {
  return { input, output, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2, cacheRead };
}

const newest: Omit<ModelFacts, 'id' | 'prices'> = {
  snapshots: [],
  aliases: [],
  contextWindow: MILLION,
  maxOutput: 128_000,
  cacheMinimum: 512,
  takesSampling: false,
  takesEffort: true,
  takesForcedTool: true,
  thinking: ['adaptive', 'disabled'],
  thinksAtTopEffort: false,
  searchesWeb: true,
};
const alwaysThinking: typeof newest = { ...newest, takesForcedTool: false, thinking: ['adaptive'] };
const generation46: typeof newest = { ...newest, takesSampling: true, thinking: ['adaptive', 'enabled', 'disabled'] };
const generation45: typeof newest = {
  ...generation46,
  contextWindow: 200_000,
  maxOutput: 64_000,
  cacheMinimum: 4096,
  takesEffort: false,
  thinking: ['enabled', 'disabled'],
};

/** The models of the Messages API, newest first; a person's own file may change them (userModels.ts). */
export const CATALOGUE: readonly ModelFacts[] = [
  { ...alwaysThinking, id: 'claude-fable-5-2', aliases: ['fable'], prices: prices(8, 40) },
  {
    ...newest,
    id: 'claude-haiku-5-5',
    aliases: ['haiku'],
    takesSampling: true,
    thinksAtTopEffort: true,
    prices: prices(0.1, 0.5),
    longPrompt: { above: 100_000, prices: prices(0.5, 2.5) },
  },
  {
    ...newest,
    id: 'claude-sonnet-5-5',
    aliases: ['sonnet'],
    takesForcedTool: false,
    thinking: ['adaptive', 'between_tools'],
    prices: prices(2, 10),
  },
  { ...alwaysThinking, id: 'claude-opus-5-5', aliases: ['opus'], prices: prices(4, 20, 0.2) },
  { ...alwaysThinking, id: 'claude-fable-5-1', prices: prices(10, 50) },
  { ...alwaysThinking, id: 'claude-fable-5', takesForcedTool: true, prices: prices(10, 50) },
  { ...newest, id: 'claude-opus-5', thinksAtTopEffort: true, prices: prices(5, 25) },
  { ...newest, id: 'claude-sonnet-5', cacheMinimum: 1024, prices: prices(2, 10) },
  { ...newest, id: 'claude-opus-4-8', cacheMinimum: 1024, prices: prices(5, 25) },
  { ...newest, id: 'claude-opus-4-7', cacheMinimum: 2048, prices: prices(5, 25) },
  { ...generation46, id: 'claude-opus-4-6', cacheMinimum: 4096, prices: prices(5, 25) },
  { ...generation46, id: 'claude-sonnet-4-6', maxOutput: 64_000, cacheMinimum: 1024, prices: prices(3, 15) },
  {
    ...generation45,
    id: 'claude-opus-4-5',
    snapshots: ['claude-opus-4-5-20251101'],
    takesEffort: true,
    prices: prices(5, 25),
  },
  {
    ...generation45,
    id: 'claude-sonnet-4-5',
    snapshots: ['claude-sonnet-4-5-20250929'],
    cacheMinimum: 1024,
    prices: prices(3, 15),
  },
  { ...generation45, id: 'claude-haiku-4-5', snapshots: ['claude-haiku-4-5-20251001'], prices: prices(1, 5) },
];

let inForce: readonly ModelFacts[] = CATALOGUE;

/** Makes these the models that this process goes by. */
export function useModels(models: readonly ModelFacts[]): void {
  inForce = models;
}

/** The models that this process goes by, a person's own first. */
export function knownModels(): readonly ModelFacts[] {
  return inForce;
}

/** The id behind an alias (`sonnet`, `opus`, `haiku`, `fable`; a `[1m]` behind it changes nothing). Any other name is returned as it is. */
export function resolveModel(nameOrAlias: string): string {
  const name = nameOrAlias.trim();
  const alias = name.toLowerCase().replace(/\[1m\]$/, '');
  return inForce.find(({ aliases }) => aliases.includes(alias))?.id ?? name.replace(/\[1m\]$/i, '');
}

export function isKnownModel(id: string): boolean {
  return find(id) !== undefined;
}

/**
 * What a model is and takes. An id that is not in the catalogue gets defaults that no model is below: a window of
 * 200,000 tokens, 32,000 of output, the highest prices, no optional parameter.
 */
export function modelFacts(id: string): ModelFacts {
  return find(id) ?? { ...newest, ...UNKNOWN, id };
}

const UNKNOWN = {
  contextWindow: 200_000,
  maxOutput: 32_000,
  prices: prices(10, 50),
  cacheMinimum: 4096,
  takesEffort: false,
  takesForcedTool: false,
  thinking: [],
  searchesWeb: false,
} satisfies Partial<ModelFacts>;

function find(id: string): ModelFacts | undefined {
  return inForce.find((model) => model.id === id || model.snapshots.includes(id));
}

/**
 * US dollars for the usage of one response (not of a sum: a long prompt has other prices).
 * `cacheWrite1h` is the part of `usage.cacheWrite` that lives for an hour.
 */
export function costOf(id: string, usage: Usage, cacheWrite1h = 0): number {
  const facts = modelFacts(id);
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const price = facts.longPrompt && prompt > facts.longPrompt.above ? facts.longPrompt.prices : facts.prices;
  const total =
    usage.input * price.input +
    usage.output * price.output +
    usage.cacheRead * price.cacheRead +
    (usage.cacheWrite - cacheWrite1h) * price.cacheWrite5m +
    cacheWrite1h * price.cacheWrite1h;
  return total / MILLION + (usage.webSearches ?? 0) * WEB_SEARCH;
}
