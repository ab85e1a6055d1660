import { Ajv } from 'ajv';

/**
 * What a notebook of format 4 may look like, field by field; from 4.5 on cells have ids. Source: the format's own description,
 * https://nbformat.readthedocs.io/en/latest/format_description.html.
 */
function schemaFor(minor: number): object {
  const text = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
  const object = { type: 'object' };
  const exact = (properties: Record<string, object>, optional: string[] = []) => ({
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  });
  const count = { type: ['integer', 'null'], minimum: 0 };
  const outputs = [
    exact({ output_type: { const: 'stream' }, name: { type: 'string' }, text }),
    exact({ output_type: { const: 'display_data' }, data: object, metadata: object }),
    exact({ output_type: { const: 'execute_result' }, data: object, metadata: object, execution_count: count }),
    exact({
      output_type: { const: 'error' },
      ename: { type: 'string' },
      evalue: { type: 'string' },
      traceback: { type: 'array', items: { type: 'string' } },
    }),
  ];
  const shared = {
    ...(minor >= 5 && { id: { type: 'string', pattern: '^[a-zA-Z0-9_-]+$', minLength: 1, maxLength: 64 } }),
    metadata: object,
    source: text,
  };
  const code = exact({
    ...shared,
    cell_type: { const: 'code' },
    outputs: { type: 'array', items: { anyOf: outputs } },
    execution_count: count,
  });
  const other = (type: string) =>
    exact({ ...shared, cell_type: { const: type }, attachments: object }, ['attachments']);
  return {
    type: 'object',
    properties: {
      nbformat: { const: 4 },
      nbformat_minor: { const: minor },
      metadata: object,
      cells: { type: 'array', items: { anyOf: [code, other('markdown'), other('raw')] } },
    },
    required: ['nbformat', 'nbformat_minor', 'metadata', 'cells'],
  };
}

const ajv = new Ajv({ allowUnionTypes: true });
const checks = new Map([4, 5].map((minor) => [minor, ajv.compile(schemaFor(minor))]));

/** What of its format a notebook does not keep. */
export function nbformatProblems(notebook: {
  readonly nbformat_minor: number;
  readonly cells: readonly object[];
}): string[] {
  const check = checks.get(notebook.nbformat_minor);
  if (!check?.(notebook)) return [ajv.errorsText(check?.errors)];
  const ids = notebook.cells.flatMap((cell) => ('id' in cell ? [cell.id] : []));
  return new Set(ids).size < ids.length ? ['two cells have one id'] : [];
}
