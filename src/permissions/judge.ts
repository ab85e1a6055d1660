import type { Access } from './access.js';
import { type Facts, factsOf, readingOf } from './facts.js';
import type { PermissionMode } from './mode.js';
import { isWithin, matchesPath } from './pathRule.js';
import { isProtectedPath, isReadableState } from './protectedPaths.js';
import { formatRule, isAbout, matchesWildcards, type Rule } from './rule.js';
import { matchesCommand } from './shellRule.js';
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
}

export type Verdict =
  | { readonly kind: 'allow'; readonly by: string }
  | { readonly kind: 'deny'; readonly because: string }
  | { readonly kind: 'ask'; readonly description: string; readonly suggestions: readonly Suggestion[] };

/** Decides on one call: deny rules, then plan mode, ask rules, allow rules, and last what the mode itself allows. Pure. */
export function judge(call: Judged, context: JudgeContext): Verdict {
  const { tool } = call;
  const { mode, rules } = context;
  const facts = factsOf(tool.name, call.access, context, guardsFiles(rules));

  const refusal = stateRefusal(facts, context) ?? ruleRefusal(facts, context);
  if (refusal !== undefined) return { kind: 'deny', because: refusal };
  if (mode === 'plan' && !tool.isReadOnly && !tool.isCoordination && !facts.isFree)
    return { kind: 'deny', because: planRefusal(facts) };

  const asking = rules.ask.find((rule) => touches(rule, 'ask', facts, context));
  if (asking) return ask(call, mode, `the rule ${formatRule(asking)} asks`);
  if (mode === 'bypassPermissions') return { kind: 'allow', by: `mode ${mode}` };

  const sensitive = facts.writes.find((path) => isProtectedPath(path) && !isOwn(path, context));
  if (sensitive !== undefined) return ask(call, mode, 'what is written there is executed or obeyed later');
  const allowing = rules.allow.find((rule) => allows(rule, facts));
  if (allowing) return { kind: 'allow', by: `rule ${formatRule(allowing)}` };
  const { isFree, reads, writes } = facts;
  const isFine = isFree || tool.isCoordination || reads.length + writes.length > 0;
  if (
    isFine &&
    reads.every((path) => isReadable(path, facts, context)) &&
    writes.every((path) => isWritable(path, facts, context))
  ) {
    return { kind: 'allow', by: `mode ${mode}` };
  }
  return ask(call, mode);
}

/** Whether no deny rule keeps this file (absolute) from the agent: searches leave out what must not be seen. */
export function mayRead(path: string, context: JudgeContext): boolean {
  const facts = readingOf(path);
  return stateRefusal(facts, context) === undefined && ruleRefusal(facts, context) === undefined;
}

function guardsFiles({ deny, ask }: Rules): boolean {
  return [...deny, ...ask].some((rule) => rule.specifier !== undefined && isAbout(rule, 'Read', 'deny'));
}

function stateRefusal(
  { reads, writes, mayRead, mayWrite, command = '' }: Facts,
  context: JudgeContext,
): string | undefined {
  for (const root of context.protectedRoots) {
    const isState = (path: string) => isWithin(path, root) && !isOwn(path, context);
    const hidden = [...reads, ...mayRead].find(
      (path) => isState(path) && !isReadableState(path.slice(root.length + 1)),
    );
    if (hidden !== undefined)
      return `${hidden} is troupe's own state and not for agents to read or change. Use the tools for tasks and messages.`;
    if ([...writes, ...mayWrite].some(isState) || /\$\{?TROUPE_HOME\b/.test(command)) {
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
  const { toolName, reads, writes, mayRead, mayWrite, command, specifier } = facts;
  const matches = (path: string) => matchesPath(rule, path, behavior, context);
  if (isAbout(rule, toolName, behavior)) {
    if (rule.specifier === undefined) return true;
    if (command !== undefined) return matchesCommand(rule, command, behavior);
    if (specifier !== undefined) return matchesWildcards(rule.specifier, specifier);
    if ([...reads, ...writes].some(matches)) return true;
  }
  const named = rule.specifier === undefined ? { read: [], write: [] } : { read: mayRead, write: mayWrite };
  return (
    (isAbout(rule, 'Read', behavior) && [...reads, ...writes, ...named.read].some(matches)) ||
    (isAbout(rule, 'Edit', behavior) && [...writes, ...named.write].some(matches))
  );
}

/** Whether an allow rule covers a call that is not about files. */
function allows(rule: Rule, { toolName, reads, writes, command, specifier }: Facts): boolean {
  if (!isAbout(rule, toolName, 'allow')) return false;
  if (command !== undefined) return matchesCommand(rule, command, 'allow');
  if (reads.length + writes.length > 0) return false;
  return rule.specifier === undefined || (specifier !== undefined && matchesWildcards(rule.specifier, specifier));
}

function isReadable(path: string, facts: Facts, context: JudgeContext): boolean {
  const { folders, protectedRoots } = context;
  // What of the program's own state must not be read was refused before.
  const isOpen = [...folders, ...protectedRoots].some((folder) => isWithin(path, folder)) || isOwn(path, context);
  const toolName = facts.command === undefined ? facts.toolName : 'Read';
  return isOpen || isGranted(path, toolName, context) || isGranted(path, 'Edit', context);
}

function isWritable(path: string, { toolName }: Facts, context: JudgeContext): boolean {
  const isOpen = context.mode === 'acceptEdits' && context.folders.some((folder) => isWithin(path, folder));
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

function planRefusal({ command, toolName }: Facts): string {
  const start = 'Plan mode is on: nothing may be changed until the plan is approved,';
  const end = 'Read, search, and hand in the plan with ExitPlanMode.';
  if (command === undefined) return `${start} and ${toolName} may change something. ${end}`;
  const free =
    'Single commands such as ls, cat, grep, find, git log and git diff run, without operators, variables or wildcards.';
  return `${start} and this command is not certain to only read. ${end} ${free}`;
}

function ask(call: Judged, mode: PermissionMode, why?: string): Verdict {
  const description = `${describeCall(call)}${why === undefined ? '' : ` (${why})`}`;
  if (mode !== 'dontAsk') return { kind: 'ask', description, suggestions: suggestRules(call) };
  return { kind: 'deny', because: `No rule allows this, and in mode dontAsk nobody is asked: ${description}.` };
}
