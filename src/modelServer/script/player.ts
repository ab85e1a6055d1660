import { messageOf } from '../../util/errors.js';
import { explain } from '../check/issue.js';
import { createStrikes, type Fault, type Strikes } from '../faults/fault.js';
import type { Reply, ReplyBlock } from '../reply.js';
import type { Conversation } from './conversation.js';
import { capturesOf, fillBlocks, newestOf, ScriptProblem } from './fill.js';
import { type Amount, type Rule, Said, type Seen, type When } from './rule.js';
import type { Script } from './script.js';

/** What to answer a request with, and why. */
export interface Answer {
  readonly reply: Reply;
  /** The name of the rule that answered. */
  readonly rule?: string;
  /** Why the answer is not what a script's author can have wanted. */
  readonly problem?: string;
  /** What the rule wants to go wrong with it. */
  readonly fault?: Fault;
  /**
   * Makes it count: the turn is over, the rule used, its captures known. Not to be called for an answer that does not
   * arrive, so that the same request can be answered when it comes again.
   */
  keep(): void;
}

/** Plays a script to any number of teams at once. Who asks is told by `metadata.user_id`. */
export interface Player {
  next(userId: string, conversation: Conversation, now: number): Answer;
}

const DEFAULT_TEXT = 'This is the model server without a script. It has nothing more to say.';

interface AgentState {
  turns: number;
  readonly used: Map<string, number>;
  readonly strikes: Map<string, Strikes>;
  readonly captured: Map<string, string>;
}

export function createPlayer(script?: Script): Player {
  const agents = new Map<string, AgentState>();
  const teams = new Map<string, Map<string, string>>();

  return {
    next(userId, conversation, now) {
      if (!script) return { reply: { blocks: [{ text: DEFAULT_TEXT }] }, keep() {} };
      const { team, member, key } = whoIs(userId);
      const state = getOrSet(agents, userId, newAgent);
      const shared = getOrSet(teams, team, () => new Map<string, string>());
      const turn = state.turns + 1;
      const valuesWith = (fresh: ReadonlyMap<string, string>): Seen['values'] => ({
        get: (name) => fresh.get(name) ?? state.captured.get(name) ?? shared.get(name) ?? newestOf(name, conversation),
      });
      const seen = { ...conversation, turn, values: valuesWith(new Map()) };
      const count = (rule: string | undefined) => {
        state.turns = turn;
        if (rule !== undefined) state.used.set(rule, (state.used.get(rule) ?? 0) + 1);
      };
      const said = (problem: string, rule?: string): Answer => ({ ...loud(problem, rule), keep: () => count(rule) });

      let rule: Rule | undefined;
      try {
        rule = rulesFor(script, key).find((candidate) => matches(candidate, state, seen));
        if (!rule) return said(`no rule of the script matches turn ${turn} of ${member} (${script.file})`);
        const { name, stop, fault } = rule;
        const fresh = new Map(capturesOf(rule, conversation));
        const blocks = blocksOf(rule, { ...seen, values: valuesWith(fresh) });
        if (blocks.some((block) => 'search' in block) && !conversation.offers.has('web_search'))
          throw new ScriptProblem('it searches the web, but the request does not offer web_search');
        const strikes = fault && getOrSet(state.strikes, name, () => createStrikes(fault))(now);
        return {
          reply: { blocks, ...(stop && { stop }) },
          rule: name,
          ...(strikes && { fault }),
          keep() {
            count(name);
            for (const [value, text] of fresh) {
              state.captured.set(value, text);
              shared.set(value, text);
            }
          },
        };
      } catch (error) {
        if (!(error instanceof ScriptProblem)) throw error;
        const where = rule ? `rule "${rule.name}" of ${key}: ` : '';
        return said(`${where}${error.message} (${script.file})`, rule?.name);
      }
    },
  };
}

/** What the rule says, its own function's words checked as a script's are. @throws ScriptProblem */
function blocksOf({ reply }: Rule, seen: Seen): readonly ReplyBlock[] {
  if (typeof reply !== 'function') return fillBlocks(reply, seen.values);
  const said = Said.safeParse(called(reply, seen), { reportInput: true });
  if (said.success)
    return said.data.map(({ text, thinking, tool, input = {}, search, found = [] }) => {
      if (search !== undefined) return { search, found };
      return tool !== undefined ? { tool, input } : thinking !== undefined ? { thinking } : { text: text ?? '' };
    });
  const [issue] = said.error.issues;
  const { path, words } = issue ? explain(issue) : { path: [], words: '' };
  throw new ScriptProblem(`what reply returned is no answer: ${[...path, words].join(': ')}`);
}

/** Runs a script's function; what it throws is its author's mistake. */
function called<T>(code: (seen: Seen) => T, seen: Seen): T {
  try {
    return code(seen);
  } catch (error) {
    throw new ScriptProblem(`its code throws: ${messageOf(error)}`, { cause: error });
  }
}

function loud(problem: string, rule: string | undefined): Omit<Answer, 'keep'> {
  return {
    reply: { blocks: [{ text: `[model server] ${problem}` }] },
    problem,
    ...(rule !== undefined && { rule }),
  };
}

const newAgent = (): AgentState => ({ turns: 0, used: new Map(), strikes: new Map(), captured: new Map() });

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

function matches({ name, when = {}, once }: Rule, { used }: AgentState, seen: Seen): boolean {
  if (once && (used.get(name) ?? 0) > 0) return false;
  return (
    isWithin(seen.turn, when.turn) &&
    (when.used === undefined || isWithin(used.get(when.used.rule) ?? 0, when.used.times)) &&
    (when.offers === undefined || seen.offers.has(when.offers)) &&
    fits(when.user, seen.user) &&
    (when.seen ?? []).every((pattern) => seen.texts.some((text) => fits(pattern, text))) &&
    fits(when.system, seen.system) &&
    fits(when.model, seen.model) &&
    broughtResult(when, seen) &&
    (when.test === undefined || Boolean(called(when.test, seen)))
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
