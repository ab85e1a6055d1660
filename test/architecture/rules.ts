/** What a folder may import: another folder, only its types (`model:types`), or one file of it. */
export type Permit = string;

const HOST = ['util', 'host', 'store'];
const LAYER_4 = [
  ...HOST,
  'permissions',
  'definitions',
  'config',
  'model',
  'worktree',
  'panes',
  'hooks',
  'mcp',
  'telemetry',
  'mailbox',
  'tasks',
  'memory',
  'transcript',
  'modelServer',
  'agent',
  'team',
];
const LAYER_5 = ['tools', 'member', 'lead', 'tui', 'headless', 'report'];

/** Who may import whom (architecture.md). Within a folder everything may; of a layer's siblings only what is named. */
export const MAY_IMPORT: Readonly<Record<string, readonly Permit[]>> = {
  util: [],
  host: ['util'],
  permissions: ['util'],
  store: ['util', 'host'],
  definitions: ['util', 'permissions'],
  config: [...HOST, 'permissions', 'definitions'],
  model: HOST,
  worktree: HOST,
  panes: HOST,
  hooks: [...HOST, 'definitions'],
  mcp: [...HOST, 'definitions'],
  telemetry: HOST,
  mailbox: [...HOST, 'permissions/mode.ts'],
  tasks: HOST,
  memory: [...HOST, 'definitions'],
  transcript: [...HOST, 'model:types', 'permissions/mode.ts'],
  modelServer: [...HOST, 'model'],
  agent: ['util', 'host:types', 'model:types', 'model/types.ts', 'permissions', 'definitions'],
  team: [...HOST, 'mailbox', 'tasks', 'panes', 'worktree', 'permissions', 'definitions', 'config'],
  ...Object.fromEntries(LAYER_5.map((folder) => [folder, LAYER_4])),
  app: [...LAYER_4, ...LAYER_5],
  cli: ['util', 'app', 'tui', 'report'],
};

/** A thing that reaches outside, and the only files (or folders, with a `/`) that may touch it. */
export interface Door {
  readonly owners: readonly string[];
  /** Packages, by name or by a name in front of `/`. */
  readonly packages?: readonly string[];
  /** Only these names of the packages; all of them when absent. */
  readonly names?: readonly string[];
  /** Importing types of the package is no matter. */
  readonly typesTravel?: boolean;
  /** `process.env`, `Date.now`, …: a global object and what is read from it; `console.*` for anything. */
  readonly members?: readonly string[];
  /** Global functions. */
  readonly globals?: readonly string[];
}

export const DOORS: readonly Door[] = [
  { packages: ['execa', 'node:child_process'], owners: ['host/run.ts', 'mcp/stdio.ts'] },
  { packages: ['node:worker_threads'], owners: ['host/thread.ts'] },
  // A server is asked over its stdin, which host/run has no use for.
  { packages: ['@modelcontextprotocol/sdk'], owners: ['mcp/'] },
  {
    packages: ['node:timers', 'node:perf_hooks'],
    members: ['Date.now', 'performance.*', 'AbortSignal.timeout', 'process.hrtime', 'process.uptime'],
    globals: ['setTimeout', 'setInterval', 'new Date()', 'Date()'],
    owners: ['host/clock.ts'],
  },
  {
    packages: ['node:crypto'],
    names: [
      'randomBytes',
      'randomUUID',
      'randomInt',
      'randomFill',
      'randomFillSync',
      'getRandomValues',
      'webcrypto',
      'default',
      '*',
    ],
    members: ['Math.random', 'crypto.*'],
    owners: ['host/ids.ts'],
  },
  { packages: ['uuid'], owners: ['host/ids.ts'] },
  { members: ['process.env', 'process.cwd', 'process.chdir'], owners: ['config/env.ts'] },
  { packages: ['node:os'], names: ['homedir', 'userInfo', 'tmpdir', 'default', '*'], owners: ['config/env.ts'] },
  {
    packages: ['node:fs'],
    names: ['watch', 'watchFile', 'unwatchFile', 'default', '*'],
    owners: ['store/watchFile.ts'],
  },
  {
    members: ['process.exit', 'process.abort', 'process.reallyExit', 'process.getBuiltinModule'],
    packages: ['node:process'],
    owners: [],
  },
  { members: ['process.exitCode'], owners: ['cli/main.ts'] },
  {
    members: ['console.*', 'process.stdout', 'process.stderr'],
    packages: ['node:console'],
    owners: ['cli/output.ts', 'tui/'],
  },
  { packages: ['proper-lockfile'], owners: ['store/lock.ts'] },
  { packages: ['gray-matter'], owners: ['definitions/frontmatter.ts'] },
  { packages: ['commander'], owners: ['cli/'] },
  { packages: ['@anthropic-ai/sdk'], typesTravel: true, owners: ['model/anthropic.ts'] },
];

/** The one index of files by name: the table of commands. */
export const BARRELS: readonly string[] = ['cli/commands/index.ts'];

export const MAX_LINES = 300;
