import { CATALOGUE, type ModelFacts, modelFacts } from '../model/catalogue.js';

const EPOCH = '1970-01-01T00:00:00Z';

/** The body of `GET /v1/models`, all on one page. */
export function modelList() {
  const data = CATALOGUE.map(infoOf);
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** The body of `GET /v1/models/{id}`. */
export function modelInfo(id: string) {
  return infoOf(modelFacts(id));
}

function infoOf({ id, contextWindow, maxOutput }: ModelFacts) {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: EPOCH,
    lifecycle: 'active',
    capabilities: null,
    line: null,
    max_input_tokens: contextWindow,
    max_tokens: maxOutput,
    deprecated_at: null,
    retires_at: null,
  };
}
