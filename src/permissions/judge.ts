import type { Access } from './access.js';
import { type Facts, factsOf, readingOf } from './facts.js';
import type { PermissionMode } from './mode.js';
import { matchesParameter } from './parameter.js';
import { isWithin, matchesPath } from './pathRule.js';
import { isProtectedPath, isReadableState } from './protectedPaths.js';
import { formatRule, isAbout, isAboutServer, matchesWildcards, type Rule } from './rule.js';
import { criticalRemoval } from './shell/critical.js';
import type { Script } from './shell/script.js';
import { allowsText, touchesScript } from './shell/shellRule.js';
import { type Open, shellVerdict } from './shell/shellVerdict.js';
import { describeCall, type Suggestion, suggestRules } from './suggest.js';

export interface Rules {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

/** What a call is judged by. All paths absolute and real. */
export interface JudgeContext {
  readonly mode: PermissionMode;
  readonly rules: Rules;
  readonly cwd: string;
  /** The working directories. */
  readonly folders: readonly string[];
  /** Never written in any mode, and read only where agents are meant to: `$TROUPE_HOME`. */
  readonly protectedRoots: readonly string[];
  /** Folders in which a tool is allowed to every member. */
  readonly allowedPaths: readonly { readonly path: string; readonly toolName: string }[];
  /** The agent's own memory: read and written unasked. */
  readonly ownFolders?: readonly string[];
  readonly home: string;
}

export interface Judged {
  readonly tool: { readonly name: string; readonly isReadOnly: boolean; readonly isCoordination: boolean };
  readonly access: Access;
  /** What a shell command consists of; one that nobody took apart is not understood. */
  readonly script?: Script | undefined;
  readonly input?: unknown;
}

export type Verdict =
  | { readonly kind: 'allow'; readonly by: string }
  | { readonly kind: 'deny'; readonly because: string }
  | {
      readonly kind: 'ask';
      readonly description: string;
      readonly suggestions: readonly Suggestion[];
      /** No rule, guarded file or doubt about the command speaks of it: mode auto may settle it without a person. */
      readonly isUnsettled: boolean;
    };

/** Decides on one call: deny rules, then plan mode, ask rules, allow rules, and last what the mode itself allows. Pure. */
export function judge(call: Judged, context: JudgeContext): Verdict {
  const { tool } = call;
  const { mode, rules } = context;
  const facts = factsOf(tool.name, call, context, guardsFiles(rules));

  const refusal = stateRefusal(facts, context) ?? ruleRefusal(facts, context);
  if (refusal !== undefined) return { kind: 'deny', because: refusal };
  if (mode === 'plan' && !tool.isReadOnly && !tool.isCoordination && !facts.isFree)
    return { kind: 'deny', because: planRefusal(facts) };

  const why = askedInEveryMode(facts, context);
  if (why !== undefined) return ask(call, mode, why);
  if (mode === 'bypassPermissions') return { kind: 'allow', by: `mode ${mode}` };

  const sensitive = facts.writes.find((path) => isProtectedPath(path) && !isOwn(path, context));
  if (sensitive !== undefined) return ask(call, mode, 'what is written there is executed or obeyed later');
  if (facts.shell) return judgeShell(call, facts, context);
  const allowing = rules.allow.find((rule) => allows(rule, facts));
  if (allowing) return { kind: 'allow', by: `rule ${formatRule(allowing)}` };
  // That it only reads is its server's word, and not enough here.
  if (mode === 'plan' && tool.name.startsWith('mcp__')) return { kind: 'deny', because: planRefusal(facts) };
  const { isFree, reads, writes } = facts;
  const isFine = isFree || tool.isCoordination || reads.length + writes.length > 0;
  if (
    isFine &&
    reads.every((path) => isReadable(path, facts, context)) &&
    writes.every((path) => isWritable(path, facts, context))
  ) {
    return { kind: 'allow', by: `mode ${mode}` };
  }
  return unsettled(ask(call, mode));
}

function askedInEveryMode(facts: Facts, context: JudgeContext): string | undefined {
  const { ask, deny } = context.rules;
  const asking = ask.find((rule) => touches(rule, 'ask', facts, context));
  if (asking) return `the rule ${formatRule(asking)} asks`;
  const { shell } = facts;
  if (!shell) return undefined;
  const unclear = [...deny, ...ask].find(
    (rule) => isAbout(rule, facts.toolName, 'deny') && touchesScript(rule, shell.script) === 'maybe',
  );
  if (unclear) return `what the shell puts in decides whether the rule ${formatRule(unclear)} applies`;
  const critical = criticalRemoval(shell.script, context);
  return critical && `it would remove ${critical}`;
}

function judgeShell(call: Judged, facts: Facts, context: JudgeContext): Verdict {
  const { mode, rules } = context;
  const verdict =
    facts.shell &&
    shellVerdict(facts.shell, {
      rules: rules.allow.filter((rule) => isAbout(rule, facts.toolName, 'allow')),
      mode,
      isReadable: (path) => isReadable(path, facts, context),
      isEnterable: (path) => isGranted(path, 'Cd', context),
      isWritable: (path) => isWritable(path, facts, context),
    });
  if (verdict && 'by' in verdict) {
    const isNamed = rules.allow.some(
      (rule) => rule.specifier !== undefined && facts.shell && allowsText(rule, facts.shell.script.text),
    );
    const changed = facts.changes.find((path) => isProtectedPath(path) && !isOwn(path, context));
    if (changed === undefined || isNamed) return { kind: 'allow', by: verdict.by };
    return ask(call, mode, `${changed} is executed or obeyed later`);
  }
  if (facts.shell?.script.isUnderstood === false)
    return ask(call, mode, 'what the shell makes of it is not certain', verdict);
  const guarded = [...facts.writes, ...facts.mayWrite].find((path) => isProtectedPath(path) && !isOwn(path, context));
  return guarded === undefined ? unsettled(ask(call, mode, undefined, verdict)) : ask(call, mode, undefined, verdict);
}

/** Whether no deny rule keeps this file (absolute) from the agent: searches leave out what must not be seen. */
export function mayRead(path: string, context: JudgeContext): boolean {
  const facts = readingOf(path);
  return stateRefusal(facts, context) === undefined && ruleRefusal(facts, context) === undefined;
}

/** Whether no deny rule keeps an MCP server, `mcp__server`, from the agent. */
export function mayReach(server: string, { rules }: JudgeContext): boolean {
  return !rules.deny.some((rule) => isAboutServer(rule, server));
}

function guardsFiles({ deny, ask }: Rules): boolean {
  return [...deny, ...ask].some((rule) => rule.specifier !== undefined && isAbout(rule, 'Read', 'deny'));
}

function stateRefusal({ reads, writes, mayRead, mayWrite, shell }: Facts, context: JudgeContext): string | undefined {
  for (const root of context.protectedRoots) {
    const isState = (path: string) => isWithin(path, root) && !isOwn(path, context);
    const hidden = [...reads, ...mayRead].find(
      (path) => isState(path) && !isReadableState(path.slice(root.length + 1)),
    );
    if (hidden !== undefined)
      return `${hidden} is troupe's own state and not for agents to read or change. Use the tools for tasks and messages.`;
    if ([...writes, ...mayWrite].some(isState) || /\$\{?TROUPE_HOME\b/.test(shell?.script.text ?? '')) {
      return `${root} holds troupe's own state, which no tool may change. Use the tools for tasks and messages.`;
    }
  }
  return undefined;
}

function ruleRefusal(facts: Facts, context: JudgeContext): string | undefined {
  const rule = context.rules.deny.find((candidate) => touches(candidate, 'deny', facts, context));
  return (
    rule &&
    `The permission rule ${formatRule(rule)} refuses this call of ${facts.toolName}. Do not try to reach the same in another way.`
  );
}

/** Whether a deny or ask rule speaks of any part of the call. A rule for Read also guards a file from being written. */
function touches(rule: Rule, behavior: 'deny' | 'ask', facts: Facts, context: JudgeContext): boolean {
  const { toolName, reads, writes, mayRead, mayWrite, shell, specifier, server, input } = facts;
  const matches = (path: string) => matchesPath(rule, path, behavior, context);
  if (server !== undefined && isAboutServer(rule, server)) return true;
  if (isAbout(rule, toolName, behavior)) {
    if (rule.specifier === undefined) return true;
    if (matchesParameter(rule, input)) return true;
    if (shell) return touchesScript(rule, shell.script) === 'yes';
    if (specifier !== undefined) return matchesWildcards(rule.specifier, specifier);
    if ([...reads, ...writes].some(matches)) return true;
  }
  const entered = shell?.parts.flatMap((part) => (part.isMove ? part.reads : [])) ?? [];
  if (isAbout(rule, 'Cd', behavior) && entered.some(matches)) return true;
  const named = rule.specifier === undefined ? { read: [], write: [] } : { read: mayRead, write: mayWrite };
  return (
    (isAbout(rule, 'Read', behavior) && [...reads, ...writes, ...named.read].some(matches)) ||
    (isAbout(rule, 'Edit', behavior) && [...writes, ...named.write].some(matches))
  );
}

/** Whether an allow rule covers a call that is not about files. */
function allows(rule: Rule, { toolName, reads, writes, specifier }: Facts): boolean {
  if (!isAbout(rule, toolName, 'allow')) return false;
  if (reads.length + writes.length > 0) return false;
  return rule.specifier === undefined || (specifier !== undefined && matchesWildcards(rule.specifier, specifier));
}

function isReadable(path: string, facts: Facts, context: JudgeContext): boolean {
  const { folders, protectedRoots } = context;
  // What of the program's own state must not be read was refused before.
  const isOpen = [...folders, ...protectedRoots].some((folder) => isWithin(path, folder)) || isOwn(path, context);
  const toolName = facts.shell ? 'Read' : facts.toolName;
  return isOpen || isGranted(path, toolName, context) || isGranted(path, 'Edit', context);
}

/** In which edits inside the working directories need no permission: a wider mode asks for no more than a narrower one. */
const EDITS_FREELY: ReadonlySet<PermissionMode> = new Set(['acceptEdits', 'auto']);

function isWritable(path: string, facts: Facts, context: JudgeContext): boolean {
  const toolName = facts.shell ? 'Edit' : facts.toolName;
  const isOpen = EDITS_FREELY.has(context.mode) && context.folders.some((folder) => isWithin(path, folder));
  return isOpen || isOwn(path, context) || isGranted(path, toolName, context);
}

/** Whether an allow rule, or a folder that is allowed to all, lets the tool at a file. */
function isGranted(path: string, toolName: string, context: JudgeContext): boolean {
  const { rules, allowedPaths } = context;
  return (
    rules.allow.some((rule) => isAbout(rule, toolName, 'allow') && matchesPath(rule, path, 'allow', context)) ||
    allowedPaths.some(
      (allowed) => isAbout({ tool: allowed.toolName }, toolName, 'allow') && isWithin(path, allowed.path),
    )
  );
}

const isOwn = (path: string, { ownFolders = [] }: JudgeContext) => ownFolders.some((folder) => isWithin(path, folder));

function planRefusal({ shell, toolName }: Facts): string {
  const start = 'Plan mode is on: nothing may be changed until the plan is approved,';
  const end = 'Read, search, and hand in the plan with ExitPlanMode.';
  if (!shell) return `${start} and ${toolName} may change something. ${end}`;
  const free =
    'Commands such as ls, cat, grep, find, git log and git diff run, alone or joined, without variables or wildcards.';
  return `${start} and this command is not certain to only read. ${end} ${free}`;
}

function ask(call: Judged, mode: PermissionMode, why?: string, open?: Open): Verdict {
  const description = `${describeCall(call)}${why === undefined ? '' : ` (${why})`}`;
  if (mode !== 'dontAsk')
    return { kind: 'ask', description, suggestions: suggestRules(call, open), isUnsettled: false };
  return { kind: 'deny', because: `No rule allows this, and in mode dontAsk nobody is asked: ${description}.` };
}

function unsettled(verdict: Verdict): Verdict {
  return verdict.kind === 'ask' ? { ...verdict, isUnsettled: true } : verdict;
}
