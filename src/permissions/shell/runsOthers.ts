import { basename } from 'node:path';
import { runsByOption } from './optionsThatRun.js';
import { isKnown, UNKNOWN, type Word } from './script.js';

/** Programs that run what the rest of their words, or a string among them, says. */
const RUN_OTHERS = new Set(
  (
    'env eval exec trap source . sudo doas su xargs parallel watch setsid ionice chrt taskset flock script strace ltrace ' +
    'unshare nsenter chroot systemd-run dbus-run-session busybox toybox entr at batch coproc expect unbuffer rlwrap ' +
    'builtin command timeout time nice nohup stdbuf noglob alias hash compgen complete bind mapfile readarray'
  ).split(' '),
);
export const SHELLS: ReadonlySet<string> = new Set('sh bash dash zsh ksh mksh ash fish tcsh csh rbash'.split(' '));
/** Programs beside those whose words may be a command, and whose own work a rule with a `*` may well be for. */
const MAY_RUN_TAIL = new Set(
  (
    'ssh npx bunx pnpx pkexec runuser sg fakeroot faketime prlimit numactl setarch linux32 linux64 choom uclampset proot ' +
    'bwrap firejail gosu su-exec tini dumb-init daemonize chpst setpriv caffeinate xvfb-run torsocks torify proxychains ' +
    'proxychains4 ssh-agent perf valgrind catchsegv hyperfine cross-env dotenv watchexec nodemon concurrently cgexec ' +
    'with-contenv s6-setuidgid start-stop-daemon tmux screen'
  ).split(' '),
);
/** Programs that run what stands behind one of their words: `docker run image rm a` is, `docker rm a` is not `rm a`. */
const RUN_BEHIND = new Set(
  (
    'docker podman kubectl oc npm pnpm yarn bun deno uv poetry pipenv pipx pdm hatch pixi rye bundle mise asdf direnv lxc ' +
    'vagrant ip nix conda mamba systemd-nspawn machinectl'
  ).split(' '),
);
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
  if (runsByOption(name, texts)) return true;
  if (readsCommands([program, ...args])) return true;
  if (SHELLS.has(name))
    return texts.every((text) => text.startsWith('-')) || texts.some((text) => /^-\w*[cis]/.test(text));
  return RUN_OTHERS.has(name);
}

/** Whether any word behind the program may be the beginning of another command. */
export function mayRunTail(program: string): boolean {
  return RUN_OTHERS.has(program) || SHELLS.has(program) || MAY_RUN_TAIL.has(program) || program === 'find';
}

/** `npm run rm` is a script of the project's, `npm exec rm` is `rm`. */
const BEHIND = /^(run|exec|x|dlx|develop|shell|--|-c)$/;
const BEHIND_SCRIPTS = /^(exec|x|dlx|--|-c)$/;

/** Behind more words than that anything may stand. */
const MOST_TAILS = 400;

/** What behind a program (without its folder) may be other commands: each end of its words, where it runs such. */
export function tailsBehind(program: string, args: readonly string[]): readonly (readonly string[])[] {
  let from = args.length;
  if (mayRunTail(program) || runsByOption(program, args)) from = 0;
  else if (RUN_BEHIND.has(program)) {
    const behind = /^(npm|pnpm|yarn|bun|deno)$/.test(program) ? BEHIND_SCRIPTS : BEHIND;
    from = args.findIndex((arg) => behind.test(arg)) + 1 || args.length;
  }
  const tails = args.slice(from, from + MOST_TAILS).map((_, index) => args.slice(from + index));
  return args.length - from > MOST_TAILS ? [...tails, [UNKNOWN]] : tails;
}

/** Whether the command takes what it is to run from its input: `sh`, `bash -s`, `sh /dev/stdin`, `at now`. */
export function readsCommands([program, ...args]: readonly Word[]): boolean {
  const name = basename(program?.text ?? '');
  const texts = args.map(({ text }) => text);
  if (name === 'at' || name === 'batch' || name === 'newgrp') return true;
  if (name === 'crontab') return texts.includes('-');
  if (name === 'make')
    return texts.some((text, index) => text === '-f-' || (text === '-' && texts[index - 1] === '-f'));
  if (!SHELLS.has(name) || texts.some((text) => /^(-[a-zA-Z]*c|--version|--help)$/.test(text))) return false;
  const operand = texts.find(
    (text, index) => !/^[-+]/.test(text) && !/^([-+][oO]|--(rcfile|init-file))$/.test(texts[index - 1] ?? ''),
  );
  return (
    operand === undefined ||
    texts.some((text) => /^-[a-zA-Z]*s[a-zA-Z]*$/.test(text) || text === '-') ||
    /^(\/dev\/stdin|\/(dev|proc\/self)\/fd\/0)$/.test(operand)
  );
}
