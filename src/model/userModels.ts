import * as z from 'zod/mini';
import { readJson } from '../store/jsonFile.js';
import { CATALOGUE, type ModelFacts, modelFacts, prices, useModels } from './catalogue.js';

const tokens = z.int().check(z.positive());
const dollars = z.number().check(z.nonnegative());
const Prices = z.strictObject({
  input: dollars,
  output: dollars,
  cacheWrite5m: z.optional(dollars),
  cacheWrite1h: z.optional(dollars),
  cacheRead: z.optional(dollars),
});

const UserModel = z.strictObject(
  {
    id: z.string('it needs an id').check(z.minLength(1)),
    snapshots: z.optional(z.array(z.string())),
    aliases: z.optional(z.array(z.string())),
    contextWindow: z.optional(tokens),
    maxOutput: z.optional(tokens),
    prices: z.optional(Prices),
    longPrompt: z.optional(z.strictObject({ above: tokens, prices: Prices })),
    cacheMinimum: z.optional(tokens),
    takesSampling: z.optional(z.boolean()),
    takesEffort: z.optional(z.boolean()),
    takesForcedTool: z.optional(z.boolean()),
    thinking: z.optional(z.array(z.enum(['adaptive', 'enabled', 'disabled', 'between_tools']))),
    thinksAtTopEffort: z.optional(z.boolean()),
    searchesWeb: z.optional(z.boolean()),
  },
  {
    error: (issue) => (issue.code === 'unrecognized_keys' ? `there is no field ${issue.keys.join(', ')}` : undefined),
  },
);
type UserModel = z.infer<typeof UserModel>;

/**
 * A person's own models, `$TROUPE_HOME/models.json`: `{"models": [{"id": …}]}`. Each entry changes what it names of the
 * model with that id, or adds a model, with careful defaults for what it leaves out. Its aliases win over the built-in ones.
 */
export const UserModels = z.strictObject({ models: z.array(UserModel) });

/** Makes this process go by the models in `file` too, where there is one. @throws UserError that names the file. */
export async function useOwnModels(file: string): Promise<void> {
  const own = await readJson(file, UserModels);
  useModels(own ? withOwn(own.models) : CATALOGUE);
}

function withOwn(own: readonly UserModel[]): readonly ModelFacts[] {
  const changed = own.map(merged);
  const isChanged = ({ id }: ModelFacts) => changed.some((model) => model.id === id);
  return [...changed, ...CATALOGUE.filter((model) => !isChanged(model))];
}

function merged(own: UserModel): ModelFacts {
  const known = CATALOGUE.find(({ id }) => id === own.id) ?? modelFacts(own.id);
  const { prices: ownPrices, longPrompt, ...given } = own;
  // Other prices for all prompts are meant for long ones too, unless these have their own.
  const { longPrompt: knownLong, ...rest } = known;
  const long = longPrompt
    ? { ...longPrompt, prices: complete(longPrompt.prices) }
    : ownPrices === undefined
      ? knownLong
      : undefined;
  return {
    ...rest,
    ...definedIn(given),
    id: own.id,
    prices: ownPrices ? complete(ownPrices) : known.prices,
    ...(long && { longPrompt: long }),
  };
}

function complete({ input, output, cacheRead, ...writes }: z.infer<typeof Prices>): ModelFacts['prices'] {
  return { ...prices(input, output, cacheRead), ...definedIn(writes) };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function definedIn<T extends object>(value: T): Defined<T> {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries) as Defined<T>;
}
