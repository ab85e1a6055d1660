import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { answerCalls, type CallDeps } from '../../agent/calls/toolCalls.js';
import type { AgentState } from '../../agent/ports.js';
import type { ToolContext } from '../../agent/tool.js';
import { userHome } from '../../config/env.js';
import { type Home, managedFolder } from '../../config/paths.js';
import type { Skill } from '../../definitions/skill/skill.js';
import { findSkill, type LoadedSkills, loadSkills } from '../../definitions/skill/skillLoad.js';
import { piecesOf } from '../../definitions/skill/skillText.js';
import { importsIn } from '../../memory/markdownText.js';
import { matchesWildcards, parseRule } from '../../permissions/rule.js';
import type { TeamSettings } from '../../team/start/launch.js';
import type { TeamFile } from '../../team/teamFile.js';
import type { AgentPort } from '../../tools/agent.js';
import type { SkillCall, SkillPort } from '../../tools/skill.js';
import { ToolError } from '../../util/errors.js';
import { didYouMean, escapeXml, oneLine } from '../../util/text.js';

/** Characters of all descriptions together. */
const LISTING = 12_000;
const LONGEST_DESCRIPTION = 1024;
/** Files that one command may bring along. */
const MOST_FILES = 10;
/** Below that a description says nothing. */
const SHORTEST_DESCRIPTION = 40;

/** The skills that there are for whoever works in `cwd`. */
export async function skillsFor(
  home: Home,
  cwd: string,
  { trusted, pluginDirs }: Pick<TeamSettings, 'trusted' | 'pluginDirs'>,
): Promise<LoadedSkills> {
  return loadSkills({
    cwd,
    userHome: userHome(),
    trusted,
    managed: managedFolder(),
    pluginDirs,
    plugins: home.plugins,
  });
}

/** Names and descriptions of what a model may load, bounded; empty where there is nothing. */
export function skillListing({ skills }: LoadedSkills, deny: readonly string[]): string {
  const refused = deny.map((rule) => parseRule(rule)).filter(({ tool }) => tool === 'Skill');
  const isRefused = (name: string) =>
    refused.some(({ specifier }) => specifier === undefined || matchesWildcards(specifier, name));
  const told = [...skills.values()].filter(({ name, isForPeople }) => !isForPeople && !isRefused(name));
  if (told.length === 0) return '';
  const most = Math.min(LONGEST_DESCRIPTION, Math.floor(LISTING / told.length));
  const line = ({ name, description, argumentHint }: Skill) => {
    const hint = argumentHint === undefined ? '' : ` (args: ${oneLine(argumentHint, 80)})`;
    return most < SHORTEST_DESCRIPTION ? `- ${name}` : `- ${name}${hint}: ${oneLine(description, most)}`;
  };
  return ['<skills>', 'Skills for the tool Skill:', ...told.map(line), '</skills>'].join('\n');
}

/** The skills that a definition names, whole, and a warning for each that there is not. */
export function preloaded(loaded: LoadedSkills, names: readonly string[], plugin: string | undefined): string[] {
  return names.map((name) => {
    const skill = findSkill(loaded, name, plugin);
    if (!skill) return `(The skill "${name}" of your definition does not exist.)`;
    if (skill.isForPeople) return `(The skill "${name}" of your definition is for people alone and was not loaded.)`;
    const text = piecesOf(skill.body, '', skill.folder).map((piece) =>
      piece.kind === 'text' ? piece.text : `(not run: \`${piece.command}\`)`,
    );
    return wrapped(skill, text.join(''));
  });
}

export interface SkillUserDeps {
  readonly load: () => Promise<LoadedSkills>;
  readonly agents: AgentPort;
  /** How the agent that uses them calls its tools. */
  readonly calls: () => CallDeps | undefined;
  /** From now on it may read the skill's folder, and what the skill allows is allowed. */
  readonly grant: (state: AgentState, skill: Skill) => void;
}

/** How one agent uses skills. */
export interface SkillUser extends SkillPort {
  /** What a person typed: `/name args`. Nothing where that is no skill for people. */
  typed(line: string, context: ToolContext): Promise<string | undefined>;
}

export function createSkillUser(deps: SkillUserDeps): SkillUser {
  const { load, agents } = deps;
  const grant = (skill: Skill) => {
    const calls = deps.calls();
    if (calls) deps.grant(calls.state, skill);
  };
  /** What a person has asked for may be called by the model too. */
  const asked = new Set<string>();

  async function filled(skill: Skill, args: string, context: ToolContext): Promise<string> {
    const parts: string[] = [];
    const words: string[] = [];
    for (const [index, piece] of piecesOf(skill.body, args, skill.folder).entries()) {
      parts.push(piece.kind === 'text' ? piece.text : await outputOf(piece.command, `${index}`, context));
      if (piece.kind === 'text') words.push(piece.text);
    }
    if (skill.kind === 'command') parts.push(...(await filesNamedIn(words.join('\n'), context)));
    return parts.join('');
  }

  /** What a command names with `@path`, from where the agent works. A word with an @ that is no file stays a word. */
  async function filesNamedIn(text: string, context: ToolContext): Promise<string[]> {
    const files: string[] = [];
    for (const written of importsIn(text)) {
      const name = written.replace(/[.,;:!?)\]}'"]+$/, '');
      const path = name.startsWith('~/') ? join(userHome(), name.slice(2)) : resolve(context.cwd, name);
      const isFile = await stat(path).then(
        (found) => found.isFile(),
        () => false,
      );
      if (!isFile || files.length === MOST_FILES) continue;
      const content = await answerTo(
        { name: 'Read', input: { file_path: path } },
        `file${files.length}`,
        path,
        context,
      );
      files.push(`\n\n<file path="${escapeXml(path)}">\n${content}\n</file>`);
    }
    return files;
  }

  const outputOf = (command: string, id: string, context: ToolContext) =>
    answerTo({ name: 'Bash', input: { command } }, id, command, context);

  /** A call as any other of this agent: hooks, rules and whoever is asked have their say. */
  async function answerTo(
    { name, input }: { readonly name: string; readonly input: object },
    id: string,
    about: string,
    context: ToolContext,
  ): Promise<string> {
    const calls = deps.calls();
    const notDone = name === 'Bash' ? 'not run' : 'not read';
    if (!calls?.tools.some((tool) => tool.name === name)) return `(${notDone}, for you have no ${name}: \`${about}\`)`;
    const call = {
      ...{ type: 'tool_use' as const, id: `${context.toolUseId}_${id}`, name, input },
      caller: { type: 'direct' as const },
    };
    const answering = answerCalls([call], calls, context.signal);
    let denied: string | undefined;
    for (;;) {
      const { done, value } = await answering.next();
      if (!done) {
        if (value.type === 'tool_denied') denied = value.because;
        continue;
      }
      if (denied !== undefined) return `(${notDone}: \`${about}\`. ${denied})`;
      const [{ content = '' } = { content: '' }] = value.results;
      if (typeof content === 'string') return content;
      return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
    }
  }

  return {
    async use({ skill: name, args }: SkillCall, context) {
      const { skills } = await load();
      const skill = skills.get(name);
      if (!skill) throw new ToolError(unknownSkill(name, [...skills.values()]));
      if (skill.isForPeople && !asked.has(name))
        throw new ToolError(`The skill "${name}" is for people alone: they type /${name}.`);
      if (skill.isFork) {
        const prompt = await filled(skill, args, context);
        const { agent: subagentType = 'general-purpose', model } = skill;
        const call = {
          toolUseId: context.toolUseId,
          description: oneLine(name, 40),
          prompt,
          subagentType,
          model,
          skill,
        };
        return agents.start(call, context.signal);
      }
      grant(skill);
      return inline(skill, await filled(skill, args, context));
    },
    async typed(line, context) {
      const [, name = '', args = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
      const skill = findSkill(await load(), name);
      if (!skill?.isTyped) return undefined;
      asked.add(skill.name);
      if (skill.isFork) {
        const call = JSON.stringify({ skill: skill.name, ...(args !== '' && { args: args.trim() }) });
        return `(The user asks for the skill "${skill.name}", which an agent carries out: call Skill ${call}.)`;
      }
      grant(skill);
      return inline(skill, await filled(skill, args.trim(), context));
    },
  };
}

function unknownSkill(name: string, skills: readonly Skill[]): string {
  const names = skills.filter(({ isForPeople }) => !isForPeople).map((skill) => skill.name);
  return `There is no skill "${name}".${didYouMean(name, names)} Skills: ${names.sort().join(', ')}`;
}

/** A conversation stays on its model, for its cache and its thinking are that model's; only an agent of its own has another. */
function inline(skill: Skill, text: string): string {
  const note =
    skill.model === undefined
      ? ''
      : `(It asks for the model "${skill.model}", which counts with \`context: fork\` only: you go on with your own.)\n`;
  return wrapped(skill, `${note}${text}`);
}

function wrapped({ name, folder }: Skill, text: string): string {
  const place = folder === undefined ? '' : ` folder="${escapeXml(folder)}"`;
  const where = folder === undefined ? [] : ['Its paths are relative to that folder, which you may read.'];
  return [`<skill name="${escapeXml(name)}"${place}>`, ...where, text, '</skill>'].join('\n');
}

/** Whether a person may ask a team's lead for this skill. */
export async function isTypedSkill(home: Home, { settings, members }: TeamFile, name: string): Promise<boolean> {
  const [lead] = members;
  if (!lead || !settings) return false;
  return findSkill(await skillsFor(home, lead.cwd, settings), name)?.isTyped === true;
}
