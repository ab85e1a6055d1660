import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentState } from '../../agent/ports.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { HookEvent } from '../../definitions/hook.js';
import type { HookSource } from '../../definitions/hookSource.js';
import type { HookAnswer } from '../../hooks/answer.js';
import type { CallServer } from '../../hooks/mcpTool.js';
import type { AskModel } from '../../hooks/question.js';
import type { HookCall, HookEngine } from '../../hooks/run.js';
import { MARK_VARIABLE } from '../../host/children.js';
import type { Message } from '../../mailbox/message.js';
import { agentIdOf } from '../../team/member.js';
import type { Launch, TeamSettings } from '../../team/start/launch.js';
import type { World } from '../services.js';
import { createHookRules, type HookRules } from './hookRules.js';
import { pluginData } from './pluginData.js';

/** An agent as its hooks know it. */
export interface HookedAgent {
  /** Of a sub-agent. */
  readonly agentId?: string | undefined;
  readonly agentType: string;
  readonly state: AgentState;
  /** What its own definition brings along. */
  readonly own?: HookSource | undefined;
}

export interface HookOccasion extends Pick<HookCall, 'subject' | 'touches' | 'signal' | 'mostMs' | 'variables'> {
  readonly event: HookEvent;
  /** What hooks are told beside what they always are. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The hooks of one session: of its main agent and of those that it starts. Nothing is loaded while there are none. */
export interface SessionHooks {
  /** The member itself. */
  main(): HookedAgent;
  /** What the member's definition brings along counts from now on. */
  adopt(definition: AgentDefinition | undefined): void;
  /** Hooks that are tools of MCP servers are called so from now on. */
  reach(callServer: CallServer): void;
  ownOf(definition: AgentDefinition): HookSource | undefined;
  /** Its `SessionStart` is over: prompts are heard from now on. */
  begun(): void;
  /** What hooks have allowed or denied for the rest of the session. */
  readonly rules: HookRules;
  /** Whether there is any hook for this agent, or may be one once the settings are changed. */
  concern(agent: HookedAgent): boolean;
  /** Whether a hook of the team waits for the beginning of each session. */
  hearStart(): boolean;
  /** What all hooks for it say; nothing at all where there is none. */
  fire(agent: HookedAgent, occasion: HookOccasion): Promise<Partial<HookAnswer>>;
  /** A line for the person. */
  note(line: string): void;
  /** Hears what a person types, and the first prompt; says what is added to it, or that it is not to be read. */
  onPrompt(message: Message): Promise<{ readonly told?: string | undefined; readonly blocked?: boolean }>;
  /** `SessionEnd`; whatever hook still runs is ended. */
  end(reason: string): Promise<void>;
}

export interface SessionHooksDeps {
  readonly world: World;
  readonly launch: Launch;
  readonly state: AgentState;
  /** The team's settings as they are now. */
  readonly settings?: { current(): TeamSettings; look(): Promise<void> } | undefined;
  /** Whether it has no prompt yet. */
  readonly isNew: boolean;
  readonly note: (line: string) => void;
  /** Asks a model for hooks that are questions. Called once one is to be asked. */
  readonly asker?: (() => Promise<AskModel>) | undefined;
}

export function createSessionHooks({
  world,
  launch,
  state,
  settings: live,
  isNew,
  note,
  asker,
}: SessionHooksDeps): SessionHooks {
  const { settings, team, member, role } = launch;
  const hooksNow = () => (live?.current() ?? settings).hooks;
  const projectDir = settings.hooks?.projectDir ?? settings.live?.cwd ?? launch.cwd;
  const session = world.home.session(launch.sessionId);
  let main: HookedAgent = { agentType: launch.agentType, state };
  let engine: Promise<HookEngine> | undefined;
  let asking: Promise<AskModel> | undefined;
  let callServer: CallServer = async () => {
    throw new Error('its server is not connected');
  };
  let awaitsFirst = isNew;
  const rules = createHookRules();
  let begun = () => {};
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });

  const load = async (): Promise<HookEngine> => {
    const [{ createHookEngine }, { writeAtomic }] = await Promise.all([
      import('../../hooks/run.js'),
      import('../../store/atomicFile.js'),
      // Its path is told from the first event on: whoever looks finds a file, if an empty one.
      appendFile(session.transcript, '', { mode: 0o600 }).catch(() => {}),
    ]);
    return createHookEngine({
      clock: world.clock,
      newId: () => world.ids.hex(12),
      projectDir,
      http: () => hooksNow() ?? {},
      pluginData: (root) => pluginData(world.home, root),
      environment: { ...launch.environment, [MARK_VARIABLE]: mark.member },
      async keep(name, text) {
        const path = join(session.tasks, name);
        await writeAtomic(path, text);
        return path;
      },
      note,
      callServer: (...call) => callServer(...call),
      ...(asker && {
        async ask(...question) {
          asking ??= asker();
          return (await asking)(...question);
        },
      }),
    });
  };
  const mark = { member: `${agentIdOf(member, team)}:${launch.generation}`, home: launch.home };
  const sourcesOf = ({ own }: HookedAgent) => [...(hooksNow()?.sources ?? []), ...(own ? [own] : [])];

  const told = ({ agentId, agentType, state: at }: HookedAgent) => ({
    session_id: launch.sessionId,
    transcript_path: session.transcript,
    cwd: at.cwd,
    permission_mode: at.mode,
    ...(settings.effort && { effort: { level: settings.effort } }),
    team_name: team,
    ...(role === 'teammate' && { teammate_name: member }),
    ...(agentId !== undefined && { agent_id: agentId }),
    agent_type: agentType,
  });

  const fire: SessionHooks['fire'] = async (agent, { event, fields = {}, ...occasion }) => {
    await live?.look();
    const found = sourcesOf(agent);
    if (!found.some(({ events }) => events[event]?.length)) return {};
    engine ??= load();
    const { agentId, state: at } = agent;
    return (await engine).answer({
      ...occasion,
      event,
      sources: found,
      input: { ...told(agent), hook_event_name: event, ...fields },
      cwd: at.cwd,
      mark: { ...mark, ...(agentId !== undefined && { agent: agentId }) },
    });
  };

  const ownOf: SessionHooks['ownOf'] = ({ hooks, filename, agentType, pluginRoot }) =>
    hooks && !hooksNow()?.withoutAgents
      ? { file: filename ?? `agent ${agentType}`, ...(pluginRoot !== undefined && { pluginRoot }), events: hooks }
      : undefined;

  return {
    main: () => main,
    adopt(definition) {
      const own = definition && ownOf(definition);
      if (own) main = { ...main, own };
    },
    reach(by) {
      callServer = by;
    },
    ownOf,
    begun: () => begun(),
    rules,
    concern: (agent) => settings.live !== undefined || sourcesOf(agent).length > 0,
    hearStart: () => hooksNow()?.sources.some(({ events }) => events['SessionStart']?.length) ?? false,
    fire,
    note,
    async onPrompt({ from, text }) {
      const isHeard = from === 'user' || awaitsFirst;
      awaitsFirst = false;
      if (!isHeard) return {};
      await beginning;
      const { block, stop, context } = await fire(main, { event: 'UserPromptSubmit', fields: { prompt: text } });
      const why = block ?? stop;
      if (why === undefined) return { told: context };
      note(`A hook keeps your message from ${member}: ${why}`);
      return { blocked: true };
    },
    async end(reason) {
      await fire(main, { event: 'SessionEnd', subject: reason, fields: { reason } });
      await (await engine)?.close();
    },
  };
}
