export interface Refusal {
  readonly args: readonly string[];
  /** The whole of stderr, behind `troupe: `; `PROJECT` stands for the test's own folder. */
  readonly says: string;
  readonly exitCode?: number;
  readonly env?: Record<string, string | undefined>;
}

const LONG = 'x'.repeat(300);
const quoted = (name: string) => JSON.stringify(name);
const badName = (name: string, rule: string, kind = 'team') =>
  `${quoted(name)} cannot be the name of a ${kind}: ${rule}.`;

/** Words that mean nothing. */
export const WORDS: readonly Refusal[] = [
  { args: ['sattus'], says: 'There is no command "sattus". Did you mean "status"? See: troupe --help' },
  { args: ['toString'], says: 'There is no command "toString". See: troupe --help' },
  { args: ['--bogus'], says: "Unknown option '--bogus'. See: troupe --help" },
  {
    args: ['run', '--outputformat', 'json', 'x'],
    says: `Unknown option '--outputformat' Did you mean "--output-format"? See: troupe run --help`,
  },
  {
    args: ['tasks', 'sho', '1'],
    says: 'There is no command "tasks sho". Did you mean "show"? There are: ls, add, show, claim, done, block, rm',
  },
  { args: ['agents', 'lst'], says: 'There is no command "agents lst". Did you mean "ls"? There are: ls, show, check' },
  {
    args: ['templates', 'nit'],
    says: 'There is no command "templates nit". Did you mean "init"? There are: ls, show, init, save, check',
  },
  { args: ['send'], says: "Missing required argument 'to'. See: troupe send --help" },
  { args: ['tasks', 'add'], says: "Missing required argument 'subject'. See: troupe tasks add --help" },
  {
    args: ['completion', 'tcsh'],
    says: "Command-argument value 'tcsh' is invalid for argument 'shell'. Shells: bash, zsh, fish. See: troupe completion --help",
  },
  {
    args: ['model-server', '--port', '65536'],
    says: "Option '--port <n>' argument '65536' is invalid. It must be at most 65535. See: troupe model-server --help",
  },
  {
    args: ['demo', '--script', '/nowhere.yaml'],
    says: "Cannot read the script /nowhere.yaml: ENOENT: no such file or directory, open '/nowhere.yaml'",
  },
  {
    args: ['ls'],
    env: { TROUPE_HOME: '/dev/null/x' },
    exitCode: 1,
    says: `ENOTDIR: not a directory, scandir '/dev/null/x/teams'. "troupe doctor" looks at what it needs.`,
  },
  {
    args: ['run', 'x'],
    env: { ANTHROPIC_BASE_URL: 'localhost:80' },
    says: 'ANTHROPIC_BASE_URL is "localhost:80", which is no address: it must begin with http:// or https://.',
  },
  { args: ['status'], says: 'No team is running. Start one with: troupe up' },
  { args: ['status', 'x'], says: 'No team "x". Teams: none' },
  { args: ['down', '../x'], says: 'No team "../x". Teams: none' },
];

/** Teams that cannot be started. */
export const STARTS: readonly Refusal[] = [
  {
    args: ['run', '--template', 'featur', 'x'],
    says: 'Unknown template "featur". Did you mean "feature"? Templates: broken, debug, feature, ghost, refactor, research, review, star',
  },
  {
    args: [
      'run',
      '--settings',
      '{"permissions":{"disableBypassPermissionsMode":"disable"}}',
      '--permission-mode',
      'bypassPermissions',
      'x',
    ],
    says: 'Mode bypassPermissions is switched off in the settings (permissions.disable…Mode): choose another one.',
  },
  {
    args: ['run', 'broken', 'x'],
    says: 'PROJECT/.claude/teams/broken.md:4: "membrs" is not a key of a template. Did you mean "members"?',
  },
  {
    args: ['run', 'star', 'x'],
    says: 'PROJECT/.claude/teams/star.md:4: "members[1].name" cannot be used: "*" cannot be the name of a member: it is reserved (team-lead, lead, main, user, human, all, team, *).',
  },
  {
    args: ['run', 'ghost', 'x'],
    says: 'The agent "ghost" cannot be used: PROJECT/.claude/agents/ghost.md:3: its front matter is not YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
  },
  { args: ['run'], says: 'There is nothing to do: say behind "run" what the team is for, or pipe it in.' },
  {
    args: ['run', '--set', 'a', 'x'],
    says: "Option '--set <key=value>' argument 'a' is invalid. It must be KEY=VALUE. See: troupe run --help",
  },
  {
    args: ['run', '--set', 'a=b', 'x'],
    says: '--set fills in the variables of a template, and none was named. See troupe templates',
  },
  {
    args: ['run', 'feature', '--set', 'promt=1', 'x'],
    says: 'Template "feature" has no variable "promt". Did you mean "prompt"? Variables: prompt',
  },
  {
    args: ['run', '--settings', '{bad', 'x'],
    says: "--settings is not JSON: Expected property name or '}' in JSON at position 1",
  },
  { args: ['run', '--settings', 'nowhere.json', 'x'], says: '--settings: there is no file PROJECT/nowhere.json.' },
  {
    args: ['run', '--settings', '.claude', 'x'],
    says: 'PROJECT/.claude cannot be read: EISDIR: illegal operation on a directory, read',
  },
  ...['--model <model>', '--settings <file|json>', '--junit <file>'].map((flag) => ({
    args: ['run', flag.split(' ')[0] ?? '', ' ', 'x'],
    says: `Option '${flag}' argument ' ' is invalid. It must not be empty. See: troupe run --help`,
  })),
  {
    args: ['run', '--timeout', '0', 'x'],
    says: "Option '--timeout <duration>' argument '0' is invalid. It must be more than 0: a duration like 30m, 90s or 1h. See: troupe run --help",
  },
  {
    args: ['run', '--agents', '[]', 'x'],
    says: `--agents cannot be used: ENOENT: no such file or directory, open '[]'`,
  },
  {
    args: ['run', '--allowed-tools', 'Bash(npm test', 'x'],
    says: '"Bash(npm test" is not a permission rule: it is not a tool name, or a tool name and something in parentheses. Rules look like "Read", "Bash(npm test *)", "Edit(src/**)" or "mcp__server__tool".',
  },
  {
    args: ['run', '--backend', 'iterm2', 'x'],
    says: '--backend iterm2 is for "troupe up", where a person looks. Use --backend tmux or in-process.',
  },
  {
    args: ['run', '--backend', 'tmux', 'x'],
    env: { PATH: 'NO_TMUX' },
    says: 'There is no tmux on the PATH. Install one, or use --backend in-process.',
  },
  {
    args: ['up', '--detach', 'x'],
    env: { PATH: 'NO_TMUX' },
    says: '--detach needs tmux. There is no tmux on the PATH. Install one, or use "troupe run".',
  },
  { args: ['up', 'x'], says: '"troupe up" needs a terminal, or --detach. Without either, use "troupe run".' },
  {
    args: ['up', '--detach', '--backend', 'in-process', 'x'],
    says: '--detach needs tmux: nothing would run on in this process. Use "troupe run" instead.',
  },
  ...(['run', 'up'] as const).map(
    (command): Refusal => ({
      args: [command, ...(command === 'up' ? ['--detach'] : []), 'x'],
      env: { ANTHROPIC_API_KEY: undefined },
      exitCode: 5,
      says: 'No credentials for the model service: set ANTHROPIC_API_KEY. To see a team at work without any: troupe demo',
    }),
  ),
  ...['../x', 'a/b', 'a\\b', 'a:b'].map((name) => ({
    args: ['run', '--name', name, 'x'],
    says: badName(name, 'it must not hold "/", "\\" or ":"'),
  })),
  { args: ['run', '--name', 'a..b', 'x'], says: badName('a..b', 'it must not hold ".."') },
  { args: ['run', '--name', '.x', 'x'], says: badName('.x', 'it must not begin with "-" or "."') },
  { args: ['run', '--name=-x', 'x'], says: badName('-x', 'it must not begin with "-" or "."') },
  { args: ['run', '--name', '', 'x'], says: badName('', 'it is empty') },
  { args: ['run', '--name', 'a\tb', 'x'], says: badName('a\tb', 'it must not hold control characters') },
  {
    args: ['run', '--name', '$(reboot)', 'x'],
    says: badName('$(reboot)', 'only letters, digits, ".", "_" and "-" are allowed'),
  },
  { args: ['run', '--name', LONG, 'x'], says: badName(LONG, 'it has more than 64 characters') },
];

/** In a team of which `bob` is a member and which is called `taken`. */
export const IN_A_TEAM: readonly Refusal[] = [
  { args: ['send', 'bobb', 'hi'], says: 'No member "bobb" in taken. Did you mean "bob"? Members: bob' },
  { args: ['send', '../bob', 'hi'], says: 'No member "../bob" in taken. Members: bob' },
  { args: ['send', 'bob', ''], says: 'The message is empty: say what it is about.' },
  { args: ['send', 'bob'], says: 'The message is empty: say what it is about.' },
  { args: ['status', '-t', 'takn'], says: 'No team "takn". Did you mean "taken"? Teams: taken' },
  { args: ['inbox', 'bobb'], says: 'No member "bobb" in taken. Did you mean "bob"? Members: bob' },
  { args: ['peek', 'bobb'], says: 'No member "bobb" in taken. Did you mean "bob"? Members: bob' },
  { args: ['shutdown', 'bobb'], says: 'No member "bobb" in taken. Did you mean "bob"? Members: bob' },
  { args: ['shutdown', 'lead'], says: 'The lead ends with its team: troupe down taken' },
  { args: ['shutdown'], says: 'Who? Name members, or say --all.' },
  { args: ['restart', 'bobb'], says: 'No member "bobb" in taken. Did you mean "bob"? Members: bob' },
  { args: ['tasks', 'show', '99'], says: 'There is no task "99". See: troupe tasks ls' },
  { args: ['tasks', 'show', '../1'], says: 'There is no task "../1". See: troupe tasks ls' },
  {
    args: ['tasks', 'add', 'Dig', '--owner', 'bobb'],
    says: 'No member "bobb" in taken. Did you mean "bob"? Members: bob',
  },
  { args: ['tasks', 'add', ' '], says: 'A task needs a subject.' },
  {
    args: ['tasks', 'claim', '1', '--owner', 'bobb'],
    says: 'No member "bobb" in taken. Did you mean "bob"? Members: bob',
  },
  ...['status', 'down', 'logs', 'resume'].map((command) => ({
    args: [command, 'other', '-t', 'taken'],
    says: 'Which team, "other" or "taken" (-t)? Name one.',
  })),
  { args: ['approve', '../config'], says: 'No open plan request "../config". None waits.' },
  { args: ['allow', ''], says: 'No open permission request "". None waits.' },
  { args: ['reject', 'x', '--feedback', ' '], says: 'A rejected plan needs feedback: what should be different?' },
  {
    args: ['run', '--name', 'taken', 'x'],
    says: 'There is a team "taken" already: its lead runs in process PID. Attach with "troupe attach -t taken", end it with "troupe down taken", or choose another --name.',
  },
  {
    args: ['attach', 'bob'],
    says: 'The dashboard needs a terminal. Without one: troupe status -t taken',
  },
  ...['../x', 'a/b'].map((name) => ({
    args: ['add', name],
    says: badName(name, 'it must not hold "/", "\\" or ":"', 'member'),
  })),
  { args: ['add', LONG], says: badName(LONG, 'it has more than 64 characters', 'member') },
  ...['team-lead', 'LEAD', 'user', 'all', '*'].map((name) => ({
    args: ['add', name],
    says: `${quoted(name)} cannot be the name of a member: it is reserved (team-lead, lead, main, user, human, all, team, *).`,
  })),
];
