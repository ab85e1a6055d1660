type Check = (args: readonly string[]) => boolean;

/** Options with which a reading command writes a file or starts a program; git takes any unambiguous beginning of them. */
const WRITES_OR_RUNS = /^--(ou|ext|textc|show-si|fil)/;

const only =
  (...allowed: readonly string[]): Check =>
  (args) =>
    args.every((arg) => allowed.includes(arg));
const anything: Check = () => true;

const BRANCH_LISTS = new Set(['--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at']);
const BRANCH_OPTION =
  /^(-[arv]+|--all|--remotes|--verbose|--show-current|--no-color|--(sort|format|color|column)=.*)$/s;

function listsBranches(args: readonly string[]): boolean {
  const isList = args.some((arg) => BRANCH_LISTS.has(arg));
  return args.every((arg) => (arg.startsWith('-') ? BRANCH_LISTS.has(arg) || BRANCH_OPTION.test(arg) : isList));
}

const SUBCOMMANDS: Readonly<Record<string, Check>> = {
  status: anything,
  log: anything,
  diff: anything,
  show: anything,
  blame: anything,
  shortlog: anything,
  describe: anything,
  'rev-parse': anything,
  'rev-list': anything,
  'merge-base': anything,
  'ls-files': anything,
  'ls-tree': anything,
  'for-each-ref': anything,
  branch: listsBranches,
  remote: only('-v', '--verbose'),
  tag: (args) => args.length === 0 || args[0] === '--list',
  stash: (args) => args[0] === 'list',
  worktree: (args) => args[0] === 'list',
  reflog: (args) => args.length === 0 || args[0] === 'show',
};

/** Whether `git` with these arguments only reads: no option before the subcommand but a plain `--no-pager` or `-C`. */
export function isFreeGit(args: readonly string[]): boolean {
  let rest = args;
  for (;;) {
    if (rest[0] === '--no-pager') rest = rest.slice(1);
    else if (rest[0] === '-C') rest = rest.slice(2);
    else break;
  }
  const [subcommand = '', ...options] = rest;
  if (!Object.hasOwn(SUBCOMMANDS, subcommand) || options.some((option) => WRITES_OR_RUNS.test(option))) return false;
  return SUBCOMMANDS[subcommand]?.(options) === true;
}

const GLOBAL_WITH_VALUE = new Set([
  ...['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env', '--exec-path', '--super-prefix'],
]);

/** `git`'s own options, and the subcommand with all behind it. */
export function splitGit(args: readonly string[]): {
  readonly options: readonly string[];
  readonly rest: readonly string[];
} {
  let at = 0;
  for (let word = args[at]; word?.startsWith('-'); word = args[at]) at += GLOBAL_WITH_VALUE.has(word) ? 2 : 1;
  return { options: args.slice(0, at), rest: args.slice(at) };
}

/** Settings whose value git runs. */
const RUN_BY_GIT =
  /^(alias|pager|guitool|browser|man)\.|^(core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy|alternaterefscommand)|sequence\.editor|credential\.(.*\.)?helper|gpg\..*program|diff\.(external|.*\.(command|textconv))|difftool\..*|mergetool\..*|merge\..*\.driver|filter\..*\.(clean|smudge|process)|interactive\.difffilter|include(if\..*)?\.path|uploadpack\.packobjectshook|remote\..*\.(uploadpack|receivepack|vcs)|trailer\..*\.(cmd|command)|submodule\..*\.update|protocol\..*allow|init\.templatedir|url\..*)$/i;
const RUNS =
  /^(rebase\0(.*\0)?-\w*x|bisect\0run|submodule\0(.*\0)?foreach|filter-branch|difftool|mergetool|instaweb|web--browse|hook\0run|grep\0(.*\0)?(-\w*O|--op)|send-email\0(.*\0)?--(sendmail|smtp-server|to-cmd|cc-cmd|header-cmd)|(init|clone)\0(.*\0)?(--templ|--config|-c\b))/s;

/** Whether these arguments of `git` name a program to be run, or a file to be written instead of shown. */
export function gitRunsOthers(args: readonly string[]): boolean {
  const { options, rest } = splitGit(args);
  return (
    options.some((option) => /^(-c|--config-env|--exec-path)/.test(option)) ||
    rest.some((arg) => /^--(ou|ext|textc|upload-p|receive-p|exec)|^ext::/.test(arg)) ||
    (rest[0] === 'config' && rest.some((arg) => RUN_BY_GIT.test(arg) || /^(-e|--edit|edit)$/.test(arg))) ||
    RUNS.test(rest.join('\0'))
  );
}
