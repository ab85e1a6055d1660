import type { Conversation } from './conversation.js';
import type { Fault } from './faults.js';
import { capturesOf, fillBlocks, newestOf, ScriptProblem } from './fill.js';
import type { Reply } from './reply.js';
import type { Amount, Rule, Script, When } from './script.js';

/** What to answer a request with, and why. */
export interface Answer {
  readonly reply: Reply;
  /** The name of the rule that answered. */
  readonly rule?: string;
  /** Why the answer is not what a script's author can have wanted. */
  readonly problem?: string;
}

/** Plays a script to any number of teams at once. Who asks is told by `metadata.user_id`. */
export interface Player {
  /** A fault leaves everything as it was, so that the same request can be answered when it comes again. */
  next(userId: string, conversation: Conversation): Answer | { readonly fault: Fault; readonly rule: string };
}

const DEFAULT_TEXT = 'This is the model server without a script. It has nothing more to say.';

interface AgentState {
  turns: number;
  readonly used: Map<string, number>;
  readonly faults: Map<string, number>;
  readonly captured: Map<string, string>;
}

export function createPlayer(script?: Script): Player {
  const agents = new Map<string, AgentState>();
  const teams = new Map<string, Map<string, string>>();

  return {
    next(userId, conversation) {
      if (!script) return { reply: { blocks: [{ text: DEFAULT_TEXT }] } };
      const { team, member, key } = whoIs(userId);
      const state = getOrSet(agents, userId, newAgent);
      const shared = getOrSet(teams, team, () => new Map<string, string>());
      const turn = state.turns + 1;
      const rule = rulesFor(script, key).find((candidate) => matches(candidate, turn, state, conversation));
      if (rule?.fault) {
        const failed = state.faults.get(rule.name) ?? 0;
        if (failed < (rule.fault.times ?? 1)) {
          state.faults.set(rule.name, failed + 1);
          return { fault: rule.fault, rule: rule.name };
        }
      }
      state.turns = turn;
      if (!rule) return loud(`no rule of the script matches turn ${turn} of ${member} (${script.file})`);
      state.used.set(rule.name, (state.used.get(rule.name) ?? 0) + 1);
      try {
        for (const [name, value] of capturesOf(rule, conversation)) {
          state.captured.set(name, value);
          shared.set(name, value);
        }
        const values = {
          get: (name: string) => state.captured.get(name) ?? shared.get(name) ?? newestOf(name, conversation),
        };
        const blocks = fillBlocks(rule.reply, values);
        return { reply: { blocks, ...(rule.stop && { stop: rule.stop }) }, rule: rule.name };
      } catch (error) {
        if (!(error instanceof ScriptProblem)) throw error;
        return { ...loud(`rule "${rule.name}" of ${key}: ${error.message} (${script.file})`), rule: rule.name };
      }
    },
  };
}

function loud(problem: string): Answer {
  return { reply: { blocks: [{ text: `[model server] ${problem}` }] }, problem };
}

const newAgent = (): AgentState => ({ turns: 0, used: new Map(), faults: new Map(), captured: new Map() });

/** `troupe:<team>:<member>[/<agent-id>]`. Another client's id is a team of its own. */
function whoIs(userId: string): { team: string; member: string; key: string } {
  const [, team, member, subAgent] = /^troupe:([^:]*):([^/]*)(\/.*)?$/s.exec(userId) ?? [];
  if (team === undefined || member === undefined)
    return { team: userId, member: userId || 'a client without metadata.user_id', key: '*' };
  return { team, member: member + (subAgent ?? ''), key: subAgent === undefined ? member : `${member}/*` };
}

function rulesFor({ agents }: Script, key: string): readonly Rule[] {
  const own = Object.hasOwn(agents, key) ? agents[key] : agents['*'];
  return own ?? [];
}

function matches(
  { name, when = {}, once }: Rule,
  turn: number,
  { used }: AgentState,
  conversation: Conversation,
): boolean {
  if (once && (used.get(name) ?? 0) > 0) return false;
  return (
    isWithin(turn, when.turn) &&
    (when.used === undefined || isWithin(used.get(when.used.rule) ?? 0, when.used.times)) &&
    (when.offers === undefined || conversation.offers.has(when.offers)) &&
    fits(when.user, conversation.user) &&
    (when.seen ?? []).every((pattern) => conversation.texts.some((text) => fits(pattern, text))) &&
    fits(when.system, conversation.system) &&
    fits(when.model, conversation.model) &&
    broughtResult(when, conversation)
  );
}

function broughtResult({ tool, result }: When, { results }: Conversation): boolean {
  if (tool === undefined && result === undefined) return true;
  return results.some((candidate) => (tool === undefined || candidate.tool === tool) && fits(result, candidate.text));
}

function isWithin(value: number, amount: Amount | undefined): boolean {
  if (amount === undefined) return true;
  if (typeof amount === 'number') return value === amount;
  return value >= (amount.min ?? 0) && value <= (amount.max ?? Number.POSITIVE_INFINITY);
}

function fits(pattern: string | undefined, text: string): boolean {
  return pattern === undefined || new RegExp(pattern, 'm').test(text);
}

function getOrSet<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const present = map.get(key);
  if (present !== undefined) return present;
  const made = make();
  map.set(key, made);
  return made;
}
