// Large libraries lie in files of their own beside the program, with V8's code for them: a process loads those that it uses.

/** File → what it exports: from where, and which names. Whatever src/ imports from these comes out of that file. */
const BY_NAME = {
  'anthropic-sdk': { '@anthropic-ai/sdk': '*' },
  diff: { diff: '*' },
  execa: { execa: '{ execa }' },
  'jsonc-parser': { 'jsonc-parser': '{ parseTree }' },
  'mcp-sdk': {
    '@modelcontextprotocol/sdk/client/index.js': '*',
    '@modelcontextprotocol/sdk/client/sse.js': '*',
    '@modelcontextprotocol/sdk/client/streamableHttp.js': '*',
    '@modelcontextprotocol/sdk/shared/stdio.js': '*',
    '@modelcontextprotocol/sdk/types.js': '*',
  },
  'node-html-markdown': { 'node-html-markdown': '*' },
  opentelemetry: {
    '@opentelemetry/api': '*',
    '@opentelemetry/otlp-transformer': '{ JsonTraceSerializer }',
    '@opentelemetry/resources': '*',
  },
  'pdf-lib': { 'pdf-lib': '*' },
  sucrase: { sucrase: '*' },
  'tree-sitter': { 'web-tree-sitter': '*' },
  yaml: { yaml: '*' },
  // What writes schemas down for a model: only a member that works needs it, and zod's index names it to all.
  'zod-json-schema': { 'zod/v4/core': '{ toJSONSchema }' },
};
/** Likewise, of which the default export is all that is used. */
const BY_DEFAULT = ['gray-matter', 'proper-lockfile', 'string-width'];

const FILES = new Map([
  ...Object.entries(BY_NAME).flatMap(([file, names]) => Object.keys(names).map((name) => [name, file])),
  ...BY_DEFAULT.map((name) => [name, name]),
]);

/** Leaves the libraries out of what src/ is bundled into. */
export const librariesBeside = {
  name: 'libraries-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^[@\w]/ }, ({ path, importer }) => {
      const file = importer.includes('/node_modules/') ? undefined : FILES.get(path);
      return file === undefined ? undefined : { path: `./${file}.cjs`, external: true };
    });
  },
};

/** @returns esbuild's options for each library, but those that all bundles share */
export function libraryBuilds(root) {
  const byName = Object.entries(BY_NAME).map(([file, names]) => ({
    stdin: { contents: exportsOf(names), resolveDir: root },
    entryNames: file,
  }));
  // A default export is all that there is of a module for whoever requires it.
  const byDefault = {
    entryPoints: BY_DEFAULT,
    footer: { js: 'module.exports=module.exports.default??module.exports;})' },
  };
  return [...byName, byDefault];
}

const exportsOf = (names) =>
  Object.entries(names)
    .map(([name, what]) => `export ${what} from '${name}';`)
    .join('\n');
