/** What is known of an agent when it is chosen. Names of a person's own making are not among it. */
export interface AgentSelected {
  readonly name: 'agent_selected';
  /** A built-in type, or `custom`. */
  readonly type: string;
  readonly model: string;
  readonly source: string;
  readonly color?: string | undefined;
  readonly builtIn: boolean;
  readonly resume: boolean;
  readonly async: boolean;
  readonly fork: boolean;
}

export interface AgentCompleted {
  readonly name: 'agent_completed';
  readonly type: string;
  readonly status: string;
  readonly promptCharacters: number;
  readonly responseCharacters: number;
  readonly messages: number;
  readonly toolUses: number;
  readonly ms: number;
  readonly tokens: number;
}

/** What happens, without what it is about: no text of anybody, no path, no secret, no name that a person gave. */
export type Happening =
  | AgentSelected
  | AgentCompleted
  | { readonly name: 'auto_mode_decision'; readonly decision: string }
  | { readonly name: 'memory_loaded'; readonly scope: string; readonly characters: number }
  | { readonly name: 'message_sent'; readonly broadcast: boolean; readonly characters: number }
  | { readonly name: 'permission_decided'; readonly tool: string; readonly allowed: boolean; readonly ms: number }
  | { readonly name: 'compaction'; readonly trigger: string; readonly tokensBefore: number };

export type SpanKind = 'team' | 'member' | 'sub-agent' | 'turn' | 'tool';
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Where something happens: ids of 32 and 16 hexadecimal digits, as OpenTelemetry has them. */
export interface Place {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId?: string | undefined;
}

/** A stretch of time. Milliseconds since the epoch. */
export interface Span extends Place {
  readonly kind: SpanKind;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Whether it ended as it should. */
  readonly ok: boolean;
  readonly attributes: Attributes;
}

/** One line of the file, and one thing for whoever else is told. */
export type TelemetryEvent =
  | ({ readonly event: 'span' } & Span)
  | ({ readonly event: 'happening'; readonly at: number; readonly about: Happening } & Pick<
      Place,
      'traceId' | 'spanId'
    >);
