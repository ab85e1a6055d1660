import { gitRunsOthers } from './freeGit.js';

/** Options, and code in arguments, by which a program that does something else starts a program of the caller's choice. */
const RUN_BY: Readonly<Record<string, RegExp>> = {
  tar: /^--(checkpoint-action|to-command|use-compress|info-script|new-volume|rsh-command|rmt-command)|^-?[A-Za-z]*[IF]/,
  sort: /^--compress-prog/,
  split: /^--filter/,
  rg: /^--(pre(?!-glob)|hostname-bin)/,
  man: /^(-[PH]|--(pager|html))/,
  less: /^\+.*!/s,
  rsync: /^(--(rsh|rsync-path)|-[A-Za-z]*e)/,
  ssh: /Command/i,
  scp: /Command|^-S/i,
  sftp: /Command|^-S/i,
  zip: /^(-TT|--unzip-command)/,
  tcpdump: /^-z/,
  make: /^(MAKE|SHELL|\.SHELLFLAGS)[:+?]*=|^--eval/,
  awk: /system\s*\(|getline|\||@load/,
  // `s/a/b/e`, and `e` where a command stands.
  sed: /^(?!-)(.*[;{\n])?\s*[\d,$/!]*\s*e\b|(^|[;{\s])[\d,$/!]*s(.)(?:(?!\3).)*\3(?:(?!\3).)*\3[gpiIm\d]*e/s,
};
const SAME: Readonly<Record<string, string>> = {
  gawk: 'awk',
  mawk: 'awk',
  nawk: 'awk',
  gsed: 'sed',
  gtar: 'tar',
  gmake: 'make',
};

/** Whether these arguments make the program (without its folder) run another. */
export function runsByOption(program: string, args: readonly string[]): boolean {
  if (program === 'git') return gitRunsOthers(args);
  const name = SAME[program] ?? program;
  return Object.hasOwn(RUN_BY, name) && args.some((arg) => RUN_BY[name]?.test(arg));
}
