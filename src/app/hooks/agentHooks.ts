import type { TaskRecord } from '../../agent/background/taskRecord.js';
import type { EndHooks, HooksPort } from '../../agent/hooks.js';
import type { HookedCall } from '../../agent/ports.js';
import { userHome } from '../../config/env.js';
import { judge } from '../../permissions/judge.js';
import { parseRule, type Rule } from '../../permissions/rule.js';
import type { Task } from '../../tasks/task.js';
import { notify } from './notifications.js';
import type { HookedAgent, SessionHooks } from './sessionHooks.js';
import { taskFields } from './taskHooks.js';

export interface AgentHooksOptions {
  readonly hooks: SessionHooks;
  readonly agent: () => HookedAgent;
  /** Whether a person can be asked at all. */
  readonly hasPerson: boolean;
}

/** What the hooks of one agent say at its steps; nothing where it has none. */
export function hooksPort({ hooks, agent, hasPerson }: AgentHooksOptions): HooksPort | undefined {
  if (!hooks.concern(agent())) return undefined;
  const stopped = (reason: string | undefined) => {
    if (reason === undefined) return false;
    hooks.note(`A hook ended the turn: ${reason}`);
    return true;
  };
  return {
    async beforeCall(call, signal) {
      const answer = await hooks.fire(agent(), {
        event: 'PreToolUse',
        ...aboutCall(call, agent()),
        signal,
      });
      const { block, permission, permissionReason, updatedInput, context, stop } = answer;
      const refused = block ?? (permission === 'deny' ? permissionReason : undefined);
      return {
        stops: stopped(stop),
        ...(refused !== undefined || stop !== undefined
          ? { refused: `A hook keeps ${call.tool.name} from being called: ${refused ?? stop}` }
          : { input: updatedInput }),
        ...(permission !== 'deny' && { said: permission }),
        told: context,
      };
    },
    async onQuestion({ description, suggestions }, call, signal) {
      const { fields, ...about } = aboutCall(call, agent());
      const { request, updatedInput } = await hooks.fire(agent(), {
        event: 'PermissionRequest',
        ...about,
        fields: { ...fields, permission_suggestions: suggestions },
        signal,
      });
      if (request?.behavior === 'deny') {
        const because = `Denied by a hook: ${description}. ${request.message ?? ''}`.trim();
        return { allow: false, because, stops: request.interrupt === true && stopped(request.message ?? description) };
      }
      if (request) {
        for (const problem of hooks.rules.add(request.updatedPermissions ?? [])) hooks.note(problem);
        return { allow: true, ...(updatedInput && { input: updatedInput }) };
      }
      if (hasPerson) notify(hooks, agent(), 'permission_prompt', description);
      return undefined;
    },
    async afterCall(call, { content, isError = false }, signal) {
      const { fields, ...about } = aboutCall(call, agent());
      const outcome = isError
        ? { event: 'PostToolUseFailure' as const, fields: { ...fields, error: content, is_interrupt: signal.aborted } }
        : { event: 'PostToolUse' as const, fields: { ...fields, tool_response: content } };
      const { block, context, stop } = await hooks.fire(agent(), { ...about, ...outcome, signal });
      const told = [block, context].filter((text) => text !== undefined).join('\n');
      return { told: told === '' ? undefined : told, stops: stopped(stop) };
    },
    async beforeCompaction(trigger, signal) {
      const { block, stop } = await hooks.fire(agent(), {
        event: 'PreCompact',
        subject: 'auto',
        fields: { trigger: 'auto', because: trigger, custom_instructions: '' },
        signal,
      });
      return block ?? stop;
    },
  };
}

function aboutCall({ tool, access, call }: HookedCall, { state }: HookedAgent) {
  const context = { folders: [], protectedRoots: [], allowedPaths: [], cwd: state.cwd, home: userHome() };
  // As the one deny rule in the mode that asks nothing else. What a variable decides counts as spoken of.
  const judged = (deny: readonly Rule[]) =>
    judge(
      { tool, access, input: call.input },
      { ...context, mode: 'bypassPermissions', rules: { allow: [], deny, ask: [] } },
    ).kind;
  const touches = (rule: string) => {
    const kind = judged([parseRule(rule)]);
    return kind === 'deny' || (kind === 'ask' && judged([]) === 'allow');
  };
  return {
    subject: tool.name,
    touches,
    fields: { tool_name: tool.name, tool_input: call.input, tool_use_id: call.id },
  };
}

export interface TeammateEnd {
  /** The tasks that it says it works on. */
  readonly tasksInProgress: () => Promise<readonly Task[]>;
  /** Mail waits: it does not become idle. */
  readonly hasMore: () => boolean;
  /** Ends the teammate. */
  readonly leave: () => void;
}

/** What hooks say at the end of a member's turn; of a teammate also whether it may become idle. */
export function memberEndHooks(
  hooks: SessionHooks,
  name: string,
  teammate: TeammateEnd | undefined,
  tasks: () => readonly TaskRecord[],
): EndHooks {
  const agent = () => hooks.main();
  const onIdle = async ({ tasksInProgress, hasMore, leave }: TeammateEnd, signal: AbortSignal) => {
    if (hasMore()) return undefined;
    for (const task of await tasksInProgress()) {
      const { block, stop } = await hooks.fire(agent(), { event: 'TaskCompleted', fields: taskFields(task), signal });
      if (stop !== undefined) return ended(stop, leave);
      if (block !== undefined) return `Task ${task.id} is not done: ${block}`;
    }
    const { block, stop } = await hooks.fire(agent(), { event: 'TeammateIdle', signal });
    return stop === undefined ? block : ended(stop, leave);
  };
  const inBackground = () =>
    tasks()
      .filter(({ status, backgrounded }) => status === 'running' && backgrounded)
      .map(({ id, type, status, description }) => ({ id, type, status, description }));
  const ended = (reason: string, leave: () => void) => {
    hooks.note(`A hook ends ${name}: ${reason}`);
    leave();
    return undefined;
  };
  return {
    async onDone({ text }, isAgain, signal) {
      const { block, stop } = await hooks.fire(agent(), {
        event: 'Stop',
        fields: {
          stop_hook_active: isAgain,
          last_assistant_message: text,
          background_tasks: inBackground(),
          session_crons: [],
        },
        signal,
      });
      if (stop !== undefined) return undefined;
      return block ?? (teammate && (await onIdle(teammate, signal)));
    },
    onIgnored: (reason) => hooks.note(`${name} ends its turn although a hook goes on saying: ${reason}`),
  };
}
