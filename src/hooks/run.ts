import type { HookEvent } from '../definitions/hook.js';
import type { HookSource } from '../definitions/hookSource.js';
import type { Mark } from '../host/children.js';
import type { Clock } from '../host/clock.js';
import { messageOf } from '../util/errors.js';
import { head, oneLine } from '../util/text.js';
import { answerOf, type HookAnswer, type HookEnd, together } from './answer.js';
import { runCommandHook } from './command.js';
import { askHttpHook, type HttpLimits } from './http.js';
import { type Handler, handlersFor } from './match.js';
import { askMcpToolHook, type CallServer } from './mcpTool.js';
import { type AskModel, endOfAnswer, questionOf } from './question.js';

export interface HookCall {
  readonly event: HookEvent;
  readonly sources: readonly HookSource[];
  /** What matchers are held against. */
  readonly subject?: string | undefined;
  /** Whether a permission rule speaks of the call. */
  readonly touches?: ((rule: string) => boolean) | undefined;
  /** What hooks are told, whole. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly mark: Mark;
  /** Beside the environment that all hooks have. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Ends them. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that no hook may take more than. */
  readonly mostMs?: number | undefined;
}

export interface HookEngineDeps {
  readonly clock: Clock;
  /** What http hooks may ask, and which variables their headers may name; absent: anything. */
  readonly http?: (() => HttpLimits) | undefined;
  /** A part of a name that no other run has. */
  readonly newId: () => string;
  /** `CLAUDE_PROJECT_DIR`. */
  readonly projectDir: string;
  readonly environment: Readonly<Record<string, string>>;
  /** `CLAUDE_PLUGIN_DATA` of the plugin in this folder. */
  readonly pluginData?: ((pluginRoot: string) => Promise<string>) | undefined;
  /** Keeps a text that is too long for a model; the path of the file. */
  readonly keep: (name: string, text: string) => Promise<string>;
  /** A line for the person. */
  readonly note: (line: string) => void;
  /** Absent where there is no model to ask: hooks that are questions break there. */
  readonly ask?: AskModel | undefined;
  /** Absent where there are no servers: hooks that are their tools break there. */
  readonly callServer?: CallServer | undefined;
}

/** Runs hooks. Nothing that a hook does makes it throw: one that breaks decides nothing, and is told of in a line. */
export interface HookEngine {
  /** All hooks for what happens, side by side; what they say together. */
  answer(call: HookCall): Promise<HookAnswer>;
  /** How each of them ended, where what they print is not an answer. */
  ends(call: HookCall): Promise<readonly HookEnd[]>;
  /** Ends those that still run. */
  close(): Promise<void>;
}

const DEFAULT_S: Partial<Record<HookEvent, number>> = { UserPromptSubmit: 30, SessionEnd: 1.5 };
const GENERAL_S = 600;
/** What a model may take to answer. */
const ANSWER_S = { prompt: 30, agent: 60 } as const;
/** Those of a session's end may be given more time, but not any amount. */
const SESSION_END_MOST_S = 60;
const MOST_CHARACTERS = 10_000;
const PREVIEW_CHARACTERS = 2_000;

export function createHookEngine(deps: HookEngineDeps): HookEngine {
  const { clock, note } = deps;
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const ranOnce = new Set<string>();

  /** A call's handlers, without those that have had their one run. */
  function handlers(call: HookCall): Handler[] {
    const found = handlersFor(call.sources, call).filter(({ key }) => !ranOnce.has(key));
    for (const { hook, key } of found) if (hook.once) ranOnce.add(key);
    return found;
  }

  /** Nothing where it decides nothing: it broke, took too long or was ended. */
  async function endOf(handler: Handler, call: HookCall): Promise<HookEnd | undefined> {
    const late = new AbortController();
    const done = new AbortController();
    const seconds = secondsFor(handler, call);
    clock.sleep(seconds * 1000, done.signal).then(
      () => late.abort(),
      () => {},
    );
    const signal = AbortSignal.any([closing.signal, late.signal, ...(call.signal ? [call.signal] : [])]);
    try {
      const end = await runHandler(handler, call, signal, deps);
      if (end === undefined && late.signal.aborted)
        note(`${nameOf(handler, call)} took more than ${seconds} s and was ended.`);
      return end;
    } catch (error) {
      if (late.signal.aborted) note(`${nameOf(handler, call)} took more than ${seconds} s and was ended.`);
      else if (!signal.aborted) note(`${nameOf(handler, call)} broke: ${oneLine(messageOf(error), 300)}`);
      return undefined;
    } finally {
      done.abort();
    }
  }

  /** Tracks what runs, so that closing waits for it. */
  function tracked<T>(work: Promise<T>): Promise<T> {
    const entry = work.catch(() => {}).finally(() => running.delete(entry));
    running.add(entry);
    return work;
  }

  const isAsync = ({ hook }: Handler) => hook.type === 'command' && (hook.async === true || hook.asyncRewake === true);

  /** Runs a hook that nobody waits for. */
  async function runBeside(handler: Handler, call: HookCall): Promise<void> {
    const end = await endOf(handler, { ...call, signal: undefined });
    const isHeard = handler.hook.type === 'command' && handler.hook.asyncRewake === true;
    if (isHeard && end?.exitCode === 2) note(`${nameOf(handler, call)} says: ${oneLine(end.stderr, 1000)}`);
  }

  return {
    async answer(call) {
      const found = handlers(call);
      for (const handler of found.filter(isAsync)) void tracked(runBeside(handler, call));
      const waitedFor = found.filter((handler) => !isAsync(handler));
      const answers = await Promise.all(
        waitedFor.map(async (handler) => {
          const end = await tracked(endOf(handler, call));
          return end ? answerOf(call.event, nameOf(handler, call), end) : { notes: [] };
        }),
      );
      const { notes, ...answer } = together(answers);
      for (const line of notes) note(oneLine(line, 1000));
      return { ...(await bounded(answer, deps)), notes };
    },
    async ends(call) {
      const broken: HookEnd = { exitCode: 1, stdout: '', stderr: 'it could not be run, or took too long' };
      return Promise.all(handlers(call).map(async (handler) => (await tracked(endOf(handler, call))) ?? broken));
    },
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

async function runHandler(
  { hook, pluginRoot }: Handler,
  { event, cwd, mark, input, variables }: HookCall,
  signal: AbortSignal,
  { clock, newId, projectDir, environment, ask, callServer, http, pluginData }: HookEngineDeps,
): Promise<HookEnd | undefined> {
  const text = JSON.stringify(input);
  if (signal.aborted) return undefined;
  if (hook.type === 'http') return askHttpHook(hook, text, { env: environment, limits: http?.() }, signal);
  if (hook.type === 'mcp_tool') {
    if (!callServer) throw new Error('there are no MCP servers here');
    return askMcpToolHook(hook, input, callServer, signal);
  }
  if (hook.type === 'prompt' || hook.type === 'agent') {
    if (!ask) throw new Error('there is no model to ask here');
    return endOfAnswer(event, await ask(hook, questionOf(hook, text), signal));
  }
  const ofPlugin: Record<string, string> = {
    ...(pluginRoot !== undefined && { CLAUDE_PLUGIN_ROOT: pluginRoot }),
    ...(pluginRoot !== undefined && pluginData && { CLAUDE_PLUGIN_DATA: await pluginData(pluginRoot) }),
  };
  const env = { ...environment, ...variables, CLAUDE_PROJECT_DIR: projectDir, ...ofPlugin };
  const own = { ...mark, call: `hook-${newId()}` };
  const filled = withFolders(hook, ofPlugin);
  return runCommandHook({ hook: filled, input: `${text}\n`, cwd, env, mark: own, clock, signal });
}

/** Without a shell there is nobody else to put the plugin's folders in. */
function withFolders<H extends { readonly command: string; readonly args?: string[] | undefined }>(
  hook: H,
  folders: Readonly<Record<string, string>>,
): H {
  if (!hook.args) return hook;
  const fill = (text: string) =>
    text.replace(/\$\{(CLAUDE_PLUGIN_(?:ROOT|DATA))\}/g, (whole, name: string) => folders[name] ?? whole);
  return { ...hook, command: fill(hook.command), args: hook.args.map(fill) };
}

function secondsFor({ hook }: Handler, { event, mostMs }: HookCall): number {
  const most = event === 'SessionEnd' ? SESSION_END_MOST_S : Number.POSITIVE_INFINITY;
  const general = hook.type === 'prompt' || hook.type === 'agent' ? ANSWER_S[hook.type] : GENERAL_S;
  const wanted = hook.timeout ?? DEFAULT_S[event] ?? general;
  return Math.min(wanted, most, (mostMs ?? Number.POSITIVE_INFINITY) / 1000);
}

function nameOf({ hook, file }: Handler, { event }: HookCall): string {
  return `The ${event} hook ${oneLine(wordsOf(hook))} (${file})`;
}

function wordsOf(hook: Handler['hook']): string {
  switch (hook.type) {
    case 'http':
      return hook.url;
    case 'command':
      return hook.command;
    case 'mcp_tool':
      return `${hook.server} ${hook.tool}`;
    default:
      return hook.prompt;
  }
}

/** What a model would be told is cut where it is too long; the whole is in a file that it may read. */
async function bounded(answer: Omit<HookAnswer, 'notes'>, { keep, newId }: HookEngineDeps) {
  const cut = async (text: string | undefined) => {
    if (text === undefined || text.length <= MOST_CHARACTERS) return text;
    const path = await keep(`hook-${newId()}.txt`, text);
    return `${head(text, PREVIEW_CHARACTERS)}\n[cut: ${text.length} characters; the whole text is in ${path}]`;
  };
  return {
    ...answer,
    block: await cut(answer.block),
    stop: await cut(answer.stop),
    permissionReason: await cut(answer.permissionReason),
    context: await cut(answer.context),
  };
}
