import { UserError } from '../util/errors.js';

export interface JsonSchema {
  /** As it was given, without the name of its draft; it describes an object. */
  readonly schema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  /** What is wrong with a value, a line each: where, and what. */
  problemsOf(value: unknown): readonly string[];
}

interface Problem {
  readonly instancePath: string;
  readonly message?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * The first is that of a schema which names none. Many milliseconds to load: only where there is a schema. Of CommonJS that is
 * imported lazily the bundle has the default export alone.
 */
const DRAFTS = [
  { names: /\/draft\/2020-12\//, load: async () => (await import('ajv/dist/2020.js')).default.Ajv2020 },
  { names: /\/draft\/2019-09\//, load: async () => (await import('ajv/dist/2019.js')).default.Ajv2019 },
  { names: /\/draft-0[67]\//, load: async () => (await import('ajv')).default.Ajv },
] as const;

/** @throws UserError that names `source` and the place in it where `text` is no JSON schema of an object. */
export async function parseJsonSchema(text: string, source: string): Promise<JsonSchema> {
  const refuse = (what: string, cause?: unknown) => new UserError(`${source} ${what}`, undefined, { cause });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw refuse(`is not JSON: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (!isObjectSchema(parsed)) throw refuse('must be a JSON schema of an object: {"type": "object", "properties": …}');
  const { $schema: named, ...schema } = parsed;
  const draft = DRAFTS.find(({ names }) => named === undefined || (typeof named === 'string' && names.test(named)));
  if (!draft)
    throw refuse(
      `names the "$schema" ${JSON.stringify(named)}, which is not known here: draft-06, draft-07, 2019-09 and 2020-12 are.`,
    );
  const Ajv = await draft.load();
  const { default: formats } = await import('ajv-formats');
  const ajv = new Ajv({ allErrors: true, strict: false, logger: false });
  formats.default(ajv);
  if (!ajv.validateSchema(schema)) throw refuse(`is no JSON schema: ${linesOf(ajv.errors ?? []).join('; ')}`);
  try {
    const validate = ajv.compile(schema);
    return { schema, problemsOf: (value) => (validate(value) ? [] : linesOf(validate.errors ?? [])) };
  } catch (error) {
    throw refuse(`is no JSON schema: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function isObjectSchema(value: unknown): value is JsonSchema['schema'] & { readonly $schema?: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'object';
}

function linesOf(problems: readonly Problem[]): string[] {
  return problems.map(({ instancePath, message = 'does not fit', params = {} }) => {
    const { additionalProperty, allowedValues } = params;
    const which = typeof additionalProperty === 'string' ? ` ("${additionalProperty}")` : '';
    const of = Array.isArray(allowedValues)
      ? `: ${allowedValues.map((value) => JSON.stringify(value)).join(', ')}`
      : '';
    return `${instancePath === '' ? '/' : instancePath} ${message}${which}${of}`;
  });
}
