import { type FilterRequest, filterTools } from '../../agent/calls/toolFilter.js';
import { createCompaction } from '../../agent/compaction.js';
import { forkConversation, refuseForkInFork, refusingTools } from '../../agent/fork.js';
import type { AgentState } from '../../agent/ports.js';
import type { AgentRun } from '../../agent/runAgent.js';
import { type Environment, systemPrompt } from '../../agent/systemPrompt.js';
import type { Tool } from '../../agent/tool.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import { toolListOf } from '../../definitions/mcp.js';
import { modelFacts } from '../../model/catalogue.js';
import { withoutThinking } from '../../model/params.js';
import type { Effort, ModelRequest, TextBlockParam } from '../../model/types.js';
import { narrowed, type PermissionMode } from '../../permissions/mode.js';
import { type BoundedReadLedger, createReadLedger } from '../../tools/support/files/readLedger.js';
import { UserError } from '../../util/errors.js';
import type { AgentKnowledge } from '../knowledge/knowledge.js';
import { toolsWithNotes } from '../knowledge/memoryTools.js';
import { childModel } from '../session/childModel.js';
import { effortOf } from '../session/memberFacts.js';

/** The agent that starts another one, as far as that takes anything over from it. */
export interface Parent {
  readonly model: string;
  readonly state: AgentState;
  readonly tools: () => readonly Tool[];
  readonly history: () => AgentRun['history'];
  readonly readLedger: BoundedReadLedger;
  /** What it asked the model last, which is in the prompt cache. */
  readonly lastRequest: () => ModelRequest | undefined;
  /** What the person set for the whole session. */
  readonly effort?: Effort | undefined;
  readonly isFork?: boolean | undefined;
}

export interface PartsOptions {
  readonly parent: Parent;
  /** Where it is to work: its parent's folder, or a worktree of its own. */
  readonly environment: Environment;
  /** The process's variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** What it knows from files. */
  readonly knowledge?: Pick<AgentKnowledge, 'opening' | 'again' | 'notes'> | undefined;
  /** The repository's state in words; empty outside of one. */
  readonly gitNote?: (() => Promise<string>) | undefined;
  /** Nobody waits for it. */
  readonly isBackground?: boolean | undefined;
  /** It may have sub-agents of its own. */
  readonly mayStartAgents?: boolean | undefined;
}

/** What a sub-agent shares with its parent, has a copy of, or has for itself (engine.md, runAgent 1–7 and 12). */
export type SubagentParts = Pick<
  AgentRun,
  | 'model'
  | 'effort'
  | 'thinking'
  | 'system'
  | 'history'
  | 'prompt'
  | 'tools'
  | 'state'
  | 'reminder'
  | 'compaction'
  | 'maxTurns'
> & { readonly readLedger: BoundedReadLedger };

/** @throws UserError for a fork inside of a fork. */
export async function subagentParts(
  definition: AgentDefinition,
  call: { readonly prompt: string; readonly model?: string | undefined },
  { parent, environment, variables, knowledge, gitNote, isBackground = false, mayStartAgents }: PartsOptions,
): Promise<SubagentParts> {
  const share = definition.forksParentContext || undefined;
  if (share) refuseForkInFork({ isFork: parent.isFork === true, history: parent.history() });
  const own = {
    state: { cwd: environment.cwd, mode: modeOf(definition, parent.state.mode) },
    ...(definition.criticalSystemReminder && { reminder: definition.criticalSystemReminder }),
    ...(definition.maxTurns !== undefined && { maxTurns: definition.maxTurns }),
  };
  if (definition.sharesPrefix) return { ...own, ...forkParts(call.prompt, parent, share ?? true, knowledge) };

  const model = childModel({
    asked: call.model,
    defined: definition.model,
    environment: variables,
    parent: parent.model,
  });
  const filter = filterOf(definition, { isBackground, mayStartAgents });
  const tools = toolsWithNotes(parent.tools(), filter, knowledge?.notes);
  // Whoever sees its parent's conversation has been told what belongs to the project.
  const opening = [
    ...(share ? [] : ((await knowledge?.opening(tools)) ?? [])),
    definition.omitGitStatus || share ? undefined : await gitNote?.(),
    definition.initialPrompt,
  ].flatMap((text) => (text ? [textBlock(text)] : []));
  const { history, prompt } = share
    ? forkConversation(parent.history(), call.prompt, share)
    : { history: [], prompt: [textBlock(call.prompt)] };
  return {
    ...own,
    ...thinkingOf(definition, parent.effort),
    model,
    system: systemPrompt({
      definition: definition.getSystemPrompt({ toolNames: tools.map(({ name }) => name) }),
      definitionAppends: definition.appendSystemPrompt,
      memory: knowledge?.notes?.text,
      environment: { ...environment, model },
    }),
    history: model === parent.model ? history : withoutThinking(history),
    // Results come first where there are some.
    prompt: prompt.toSpliced(-1, 0, ...opening),
    tools,
    readLedger: createReadLedger(),
    compaction: compactionOf(model, knowledge),
  };
}

/** Which tools a sub-agent has of those that it could have. */
export function filterOf(
  definition: AgentDefinition,
  { isBackground, mayStartAgents }: Pick<PartsOptions, 'isBackground' | 'mayStartAgents'>,
): FilterRequest {
  return {
    kind: 'sub-agent',
    isBackground: isBackground && !definition.keepsAllTools,
    mayStartAgents,
    tools: toolListOf(definition),
    disallowedTools: definition.disallowedTools,
  };
}

/** All that the cached prefix is made of is the parent's, byte for byte. */
function forkParts(directive: string, parent: Parent, share: true | 'turn', knowledge: PartsOptions['knowledge']) {
  const request = parent.lastRequest();
  if (!request) throw new UserError('There is nothing to fork yet: the conversation has not begun.');
  const { model, system, effort, thinking } = request;
  const allowed = new Set(filterTools(parent.tools(), { kind: 'sub-agent' }).map(({ name }) => name));
  return {
    model,
    system,
    ...(effort && { effort }),
    ...(thinking === 'off' && { thinking }),
    ...forkConversation(parent.history(), directive, share),
    tools: refusingTools(parent.tools(), allowed),
    readLedger: parent.readLedger.copy(),
    compaction: compactionOf(model, knowledge),
  };
}

/** What belongs to the project does not depend on a summary. */
function compactionOf(model: string, knowledge: PartsOptions['knowledge']) {
  const reminders = async () => (await knowledge?.again()) ?? '';
  return createCompaction({ contextWindow: modelFacts(model).contextWindow, reminders });
}

/** Effort: definition > session. A sub-agent thinks only where one of them was set. */
function thinkingOf(
  definition: AgentDefinition,
  session: Effort | undefined,
): { readonly effort?: Effort; readonly thinking?: 'off' } {
  const isSet = session !== undefined || definition.effort !== undefined;
  return { ...effortOf(definition, session), ...(!isSet && { thinking: 'off' }) };
}

const LOOSE: readonly PermissionMode[] = ['acceptEdits', 'auto', 'bypassPermissions'];

/** A parent in a loose mode passes it on; under the others the definition decides, and never for more than the parent has. */
function modeOf({ permissionMode }: AgentDefinition, parent: PermissionMode): PermissionMode {
  if (permissionMode === undefined || permissionMode === 'bubble' || LOOSE.includes(parent)) return parent;
  return narrowed(permissionMode, parent);
}

function textBlock(text: string): TextBlockParam {
  return { type: 'text', text };
}
