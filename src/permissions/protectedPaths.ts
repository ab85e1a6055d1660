// What a later command, editor or agent would execute or obey (the reference's list of protected paths).
const FOLDERS = new Set(['.git', '.vscode', '.idea', '.husky', '.cargo', '.devcontainer', '.yarn', '.mvn', '.claude']);
const FILES = new Set([
  ...[
    '.gitconfig',
    '.gitmodules',
    '.envrc',
    '.npmrc',
    '.pnpmfile.cjs',
    'bunfig.toml',
    '.bazelrc',
    '.pre-commit-config.yaml',
  ],
  ...['.devcontainer.json', '.ripgreprc', 'pyrightconfig.json', '.mcp.json', '.claude.json'],
  ...['.profile', '.login', '.logout', '.inputrc', 'gradle-wrapper.properties', 'maven-wrapper.properties'],
]);
const PATTERNS = [
  /^\.(ba|z|k|c|tc|da)?sh(rc|env|_profile|profile|_login|login|_logout|logout|_aliases)$/,
  /^\.z(profile|login|logout|env|shrc)$/,
  /^\.yarnrc(\..*)?$/,
  /^\.pnp\..*$/,
  /^\.?lefthook(-local)?\..*$/,
];
const WORKTREE = /\/\.claude\/worktrees\/[^/]+/gi;

/** Whether no mode but bypassPermissions may let an agent write this absolute path unasked. */
export function isProtectedPath(path: string): boolean {
  const segments = path.replace(WORKTREE, '').toLowerCase().split('/');
  const file = segments.at(-1) ?? '';
  return (
    segments.some((segment) => FOLDERS.has(segment)) ||
    segments.some((segment, index) => segment === '.config' && segments[index + 1] === 'git') ||
    FILES.has(file) ||
    PATTERNS.some((pattern) => pattern.test(file))
  );
}

const READABLE = /^(teams\/[^/]+\/(plans|files)|sessions\/[^/]+\/tasks)(\/|$)/;

/** What agents are shown of the program's own state (`inside` is relative to its root): plans, long mail, tasks' output. */
export function isReadableState(inside: string): boolean {
  return READABLE.test(inside);
}
