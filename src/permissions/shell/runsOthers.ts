import { basename } from 'node:path';
import { gitRunsOthers, splitGit } from './freeGit.js';
import { isKnown, type Part, UNKNOWN, type Word } from './script.js';

/** Programs that run what the rest of their words, or a string among them, says. */
const RUN_OTHERS = new Set(
  (
    'env eval exec trap source . sudo doas su xargs parallel watch setsid ionice chrt taskset flock script strace ltrace ' +
    'unshare nsenter chroot systemd-run dbus-run-session busybox toybox entr at batch coproc expect unbuffer rlwrap ' +
    'builtin command timeout time nice nohup stdbuf noglob alias hash compgen complete bind mapfile readarray'
  ).split(' '),
);
const SHELLS = new Set('sh bash dash zsh ksh mksh ash fish tcsh csh rbash'.split(' '));
const FIND_RUNS = /^-(exec|ok|delete|fprint|fls)/;

/** What is left of a command without a program in front that only runs it: `timeout 5 npm test`. */
export function withoutWrapper(words: readonly Word[]): readonly Word[] | undefined {
  const [program, ...args] = words;
  if (program === undefined || !isKnown(program) || !Object.hasOwn(WRAPPERS, program.text)) return undefined;
  const rest = WRAPPERS[program.text]?.(args);
  return rest && rest.length > 0 ? rest : undefined;
}

type Strip = (args: readonly Word[]) => readonly Word[] | undefined;

const WRAPPERS: Readonly<Record<string, Strip>> = {
  timeout(args) {
    const rest = withoutOptions(
      args,
      /^(-v|--(verbose|foreground|preserve-status|(signal|kill-after)=\S+))$/,
      /^-[ks]$/,
    );
    return /^\d+(\.\d+)?[smhd]?$/.test(rest?.[0]?.text ?? '') ? rest?.slice(1) : undefined;
  },
  time: (args) => withoutOptions(args, /^-p$/),
  nice: (args) => withoutOptions(args, /^(-{1,2}\d+|--adjustment=-?\d+)$/, /^-n$/),
  nohup: (args) => withoutOptions(args),
  stdbuf: (args) => withoutOptions(args, /^(-[ioe][L\d]\w*|--(input|output|error)=\w+)$/, /^-[ioe]$/),
  command: (args) => withoutOptions(args, /^-p$/),
  builtin: (args) => withoutOptions(args),
  noglob: (args) => withoutOptions(args),
  // It appends what it reads.
  xargs: (args) => withoutOptions([...args, { text: UNKNOWN }]),
};

/** Undefined when an option stands there that is not one of these. */
function withoutOptions(args: readonly Word[], alone?: RegExp, withValue?: RegExp): readonly Word[] | undefined {
  let rest = args;
  for (let [word] = rest; word?.text.startsWith('-'); [word] = rest) {
    if (!isKnown(word)) return undefined;
    if (alone?.test(word.text)) rest = rest.slice(1);
    else if (withValue?.test(word.text)) rest = rest.slice(2);
    else return undefined;
  }
  return rest;
}

/** A command as it stands, and without each wrapper around it. */
export function layersOf(words: readonly Word[]): readonly (readonly Word[])[] {
  const inner = withoutWrapper(words);
  return inner ? [words, ...layersOf(inner)] : [words];
}

/** Whether the command, once its wrappers are off, is one that runs others: no rule with a `*` can speak for those. */
export function runsOthers([program, ...args]: readonly Word[]): boolean {
  if (program === undefined) return false;
  const name = basename(program.text);
  const texts = args.map(({ text }) => text);
  if (name === 'command' && /^-[vV]$/.test(texts[0] ?? '')) return false;
  if (name === 'find') return texts.some((text) => FIND_RUNS.test(text)) || args.some((word) => !isKnown(word));
  if (name === 'git') return gitRunsOthers(texts);
  if (SHELLS.has(name))
    return texts.every((text) => text.startsWith('-')) || texts.some((text) => /^-\w*[cis]/.test(text));
  return RUN_OTHERS.has(name);
}

/** Whether any word behind the program may be the beginning of another command. */
export function mayRunTail(program: string): boolean {
  return RUN_OTHERS.has(program) || SHELLS.has(program) || program === 'find';
}

/** Programs that run a string of theirs, but not whatever stands behind them. */
const TAKE_STRINGS = new Set('ssh docker podman kubectl npx npm nix-shell script'.split(' '));

/** The strings that a command hands to a shell, or may. */
export function stringsRunBy({ words }: Part): readonly string[] {
  const [program, ...args] = words.map(({ text }) => text);
  const name = basename(program ?? '');
  if (!mayRunTail(name) && !TAKE_STRINGS.has(name) && name !== 'git') return [];
  const candidates = name === 'git' ? splitGit(args).options : args;
  const strings = candidates
    .flatMap((arg) => [arg, ...arg.split('=').slice(1), arg.replace(/^-\w/, ''), arg.replace(/^[^=]*=!/, '')])
    .filter((text) => /[\s;&|$`(<>]/.test(text));
  return [...new Set([...strings, ...(name === 'eval' ? [args.join(' ')] : [])])];
}
