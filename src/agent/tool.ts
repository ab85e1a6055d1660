import type * as z from 'zod/mini';
import type { ContentBlockParam, ToolSchema } from '../model/types.js';
import type { Access } from '../permissions/access.js';
import type { PermissionMode } from '../permissions/mode.js';
import { ToolError } from '../util/errors.js';
import { parseInput, schemaOf } from './calls/toolInput.js';

export type { Access };

/** What every call is given. Nothing here can be changed by a tool: what changes the session is returned. */
export interface ToolContext {
  /** Absolute. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly toolUseId: string;
  readonly mode: PermissionMode;
  /** What was read, and when, for Edit and Write to refuse what has changed since. */
  readonly readLedger: ReadLedger;
  /** Whether a search may show this file (absolute); all of them when absent. The call's own paths were judged before. */
  mayRead?(path: string): boolean;
  /** Whether an MCP server, `mcp__server`, may be shown to this agent; all of them when absent. */
  mayReach?(server: string): boolean;
}

/** What an agent may see, by the rules that a call of its was judged by. */
export type Sight = Required<Pick<ToolContext, 'mayRead' | 'mayReach'>>;

/** What this agent knows of files' contents. Paths are absolute. */
export interface ReadLedger {
  /** `partial`: not all of it was shown. */
  record(path: string, state: { readonly mtimeMs: number; readonly size: number; readonly partial: boolean }): void;
  get(path: string): { readonly mtimeMs: number; readonly size: number; readonly partial: boolean } | undefined;
}

export interface ToolOutput {
  readonly content: string | readonly ContentBlockParam[];
  readonly isError?: boolean;
  /** The agent's directory from now on. */
  readonly cwd?: string;
  /** The permission mode from now on. */
  readonly mode?: PermissionMode;
  /** The turn ends behind this batch of calls: the answer to it comes as a later turn. */
  readonly endsTurn?: 'waits-for-plan';
}

export interface ToolSpec<Input> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodMiniType<Input>;
  /** Fields that it has elsewhere, and why not here: for whoever gives them all the same. */
  readonly absent?: Readonly<Record<string, string>>;
  /** Read-only calls run side by side and are the only ones in plan mode. */
  readonly isReadOnly: boolean;
  /** Coordination with the team (messages, tasks, plans): changes no file of the user's, and plan mode allows it. */
  readonly isCoordination?: boolean;
  /** May run beside other calls of the same batch; as `isReadOnly` unless given. */
  readonly isConcurrent?: boolean;
  access(input: Input, context: ToolContext): Access;
  /** @throws ToolError for what the model can mend. */
  call(input: Input, context: ToolContext): Promise<ToolOutput | string>;
}

/** A tool whose input type is forgotten, so that tools of all kinds fit in one list. */
export interface Tool {
  readonly name: string;
  readonly schema: ToolSchema;
  readonly isReadOnly: boolean;
  readonly isCoordination: boolean;
  readonly isConcurrent: boolean;
  /** The model is not sent it yet: this is what loading makes of it. */
  readonly deferred?: Tool;
  /** Checks the raw input; what it returns is ready to be judged and called. @throws ToolError naming what is wrong. */
  prepare(raw: unknown, context: ToolContext): PreparedCall;
}

export interface PreparedCall {
  readonly access: Access;
  run(): Promise<ToolOutput>;
}

/** Makes a tool of its description: the schema the model sees, and the checks in front of every call. */
export function defineTool<Input>(spec: ToolSpec<Input>): Tool {
  const { name, description, isReadOnly, isCoordination = false, isConcurrent = isReadOnly } = spec;
  const schema: ToolSchema = { name, description, input_schema: schemaOf(spec.input) };
  return {
    name,
    schema,
    isReadOnly,
    isCoordination,
    isConcurrent,
    prepare(raw, context) {
      const input = parseInput(schema, spec.input, raw, spec.absent);
      const access = spec.access(input, context);
      return {
        access,
        async run() {
          requireSame(access, spec.access(input, context));
          const output = await spec.call(input, context);
          return typeof output === 'string' ? { content: output } : output;
        },
      };
    },
  };
}

/** Whoever was asked may have taken long, and a link may lead elsewhere by now. */
function requireSame(judged: Access, now: Access): void {
  if (judged.kind !== 'read' && judged.kind !== 'write') return;
  const paths = now.kind === judged.kind ? now.paths : [];
  if (paths.length === judged.paths.length && paths.every((path, index) => path === judged.paths[index])) return;
  throw new ToolError(
    `${judged.paths[0]} leads elsewhere than when this call was allowed (a link was changed). Nothing was done; call again.`,
  );
}
