import type { CallDeps } from '../../agent/calls/toolCalls.js';
import type { AgentState } from '../../agent/ports.js';
import type { AgentRun } from '../../agent/runAgent.js';
import type { Tool, ToolContext } from '../../agent/tool.js';
import { userHome } from '../../config/env.js';
import type { Home } from '../../config/paths.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import { findProject } from '../../definitions/projectFolders.js';
import type { Skill } from '../../definitions/skill/skill.js';
import { NO_SKILLS } from '../../definitions/skill/skillLoad.js';
import type { Run } from '../../host/run.js';
import type { Instructions } from '../../memory/instructions.js';
import { LOCAL_MEMORY, memoryFolder, type Notes, openNotes } from '../../memory/notes.js';
import type { JudgeContext } from '../../permissions/judge.js';
import type { Launch } from '../../team/start/launch.js';
import type { AgentPort } from '../../tools/agent.js';
import { createSkillTool } from '../../tools/skill.js';
import { messageOf } from '../../util/errors.js';
import { git } from '../../worktree/git.js';
import { keepOutOfGit } from '../../worktree/place.js';
import { isOn } from './agentTypes.js';
import { instructionsAt } from './instructions.js';
import { createGrants } from './skillGrants.js';
import { createSkillUser, preloaded, type SkillUser, skillListing, skillsFor } from './skills.js';
import { withInstructions } from './touchedFiles.js';
import type { TypedSkills } from './typedSkills.js';

/** Who is to know something. */
export interface Knower {
  readonly definition: AgentDefinition | undefined;
  /** Where it works. */
  readonly folder: string;
  /** Whose conversation it goes on from: what was said there is not said again. */
  readonly from?: AgentKnowledge | undefined;
}

/** What one agent knows from files: instructions, skills, its memory. */
export interface AgentKnowledge {
  readonly instructions: Instructions | undefined;
  /** Its own notes, where its definition has a memory. */
  readonly notes: Notes | undefined;
  /** What it is told before its first prompt, a text each. `tools` are those that it has. */
  opening(tools: readonly Pick<Tool, 'name'>[]): Promise<readonly string[]>;
  /** What it is told again behind a summary; empty when there is nothing. */
  again(): Promise<string>;
  /** The tools as it has them. */
  equip(tools: readonly Tool[], agents: AgentPort): readonly Tool[];
  /** How it calls tools, once that is known: the commands in a skill are calls as any other. */
  joined(calls: CallDeps): void;
  /** It was started for a skill. */
  carriesOut(state: AgentState, skill: Pick<Skill, 'folder' | 'allowedTools'>): void;
  /** What a person asks for by `/name args`; nothing where there is no such skill. */
  typed(line: string, context: ToolContext): Promise<string | undefined>;
}

/** What the agents of one session know from files. */
export interface Knowledge {
  of(knower: Knower): Promise<AgentKnowledge>;
  /** The context with what this agent may do beside: keep its memory, carry out the skills that it has loaded. */
  widened(context: JudgeContext, state: AgentState, definition: AgentDefinition | undefined): JudgeContext;
  /** The run of a member: what skills allowed during a turn ends with it, and a person may ask for skills. */
  ofRun(run: AgentRun, knows: AgentKnowledge, typed: TypedSkills): AgentRun;
}

export interface KnowledgeOptions {
  readonly home: Home;
  readonly run: Run;
  readonly launch: Pick<Launch, 'cwd' | 'settings' | 'environment'>;
  /** One line about a file that had to be left out. */
  readonly onProblem: (problem: string) => void;
}

export async function createKnowledge({ home, run, launch, onProblem }: KnowledgeOptions): Promise<Knowledge> {
  const { settings, cwd } = launch;
  const { root, mainRoot } = await findProject(cwd);
  const user = userHome();
  const readsNothing = isOn(launch.environment, 'TROUPE_SIMPLE');
  const opened = new Map<string, string>();
  const granted = createGrants();
  const load = async () => (readsNothing ? NO_SKILLS : skillsFor(home, cwd, settings));

  async function notesOf(definition: AgentDefinition | undefined): Promise<Notes | undefined> {
    if (!definition?.memory || definition.sharesPrefix || readsNothing) return undefined;
    const { agentType, memory } = definition;
    try {
      const notes = await openNotes(agentType, memory, { userHome: user, mainRoot, trusted: settings.trusted });
      opened.set(agentType, notes.folder);
      // Outside of a repository there is nobody to hide it from.
      if (memory === 'local') await keepOutOfGit(git(run, root), root, `/${LOCAL_MEMORY}/`).catch(() => {});
      return notes;
    } catch (error) {
      onProblem(messageOf(error));
      return undefined;
    }
  }

  return {
    async of({ definition, folder, from }) {
      const isSilent = readsNothing || definition?.omitClaudeMd === true;
      const instructions = isSilent ? undefined : (from?.instructions?.copy() ?? instructionsAt(folder, settings));
      const problem = (error: unknown) => onProblem(`Instructions could not be read: ${messageOf(error)}`);
      const told = async () => (await instructions?.opening().catch(problem)) ?? '';
      const hasSkills = (await load()).skills.size > 0;
      let user: SkillUser | undefined;
      let calls: CallDeps | undefined;
      let listsSkills = from !== undefined;
      const listing = async () => (listsSkills ? skillListing(await load(), settings.deny) : '');
      return {
        instructions,
        notes: await notesOf(definition),
        async opening(tools) {
          listsSkills = tools.some(({ name }) => name === 'Skill');
          const { skills = [], plugin } = definition ?? {};
          const whole = skills.length > 0 ? preloaded(await load(), skills, plugin) : [];
          return [await told(), await listing(), ...whole].filter((text) => text !== '');
        },
        again: async () => [await told(), await listing()].filter((text) => text !== '').join('\n\n'),
        equip(tools, agents) {
          user = createSkillUser({ load, agents, calls: () => calls, grant: granted.add });
          const all = hasSkills ? withSkills(tools, createSkillTool(user)) : tools;
          return instructions ? withInstructions(all, instructions) : all;
        },
        joined(deps) {
          calls = deps;
        },
        carriesOut: (state, skill) => granted.add(state, skill),
        typed: async (line, context) => user?.typed(line, context),
      };
    },
    widened(context, state, definition) {
      const wider = granted.widened(context, state);
      const folder = definition && opened.get(definition.agentType);
      if (!definition?.memory || folder === undefined) return wider;
      const named = memoryFolder(definition.agentType, definition.memory, { userHome: user, mainRoot });
      return { ...wider, ownFolders: [...new Set([folder, named])] };
    },
    ofRun(run, knows, typed) {
      const { state, readLedger, next } = run;
      knows.joined(run);
      let asked = 0;
      typed.join((line) => {
        const toolUseId = `typed_${++asked}`;
        const { cwd, mode } = state;
        return knows.typed(line, { cwd, mode, readLedger, toolUseId, signal: run.drain });
      });
      return {
        ...run,
        async next(end) {
          if (end) granted.turnOver(state);
          return next?.(end);
        },
      };
    },
  };
}

/** In the order of names, as the others are. */
function withSkills(tools: readonly Tool[], skill: Tool): readonly Tool[] {
  const place = tools.findIndex(({ name }) => name > skill.name);
  return place < 0 ? [...tools, skill] : tools.toSpliced(place, 0, skill);
}
