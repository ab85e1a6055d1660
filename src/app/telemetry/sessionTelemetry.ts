import { createHash } from 'node:crypto';
import type { TaskRecord } from '../../agent/background/taskRecord.js';
import type { AgentEvent } from '../../agent/events.js';
import type { Gate } from '../../agent/ports.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { Launch } from '../../team/start/launch.js';
import type { Happening } from '../../telemetry/event.js';
import { fileSink, joinedSink, type Sink } from '../../telemetry/sink.js';
import { openSpan } from '../../telemetry/spans.js';
import type { AgentRecord } from '../../transcript/taskFiles.js';
import { messageOf } from '../../util/errors.js';
import type { World } from '../services.js';
import { type AgentSpans, followAgent } from './agentSpans.js';
import { colorWord, modelWord, toolWord, typeWord } from './words.js';

/** What one session tells of itself: never what anything is about. */
export interface SessionTelemetry {
  event(event: AgentEvent): void;
  happened(about: Happening): void;
  /** The member's own agent was chosen. */
  member(definition: AgentDefinition | undefined): void;
  /** One of its sub-agents starts. */
  selected(
    record: Pick<AgentRecord, 'agentId' | 'agentType' | 'model' | 'origin' | 'endedAt'>,
    about: { readonly definition?: AgentDefinition | undefined; readonly isBackground: boolean },
  ): void;
  /** The gate, whose decisions are told. */
  gate(gate: Gate): Gate;
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly world: Pick<World, 'home' | 'clock' | 'ids'>;
  readonly launch: Pick<Launch, 'team' | 'role' | 'environment' | 'agentType' | 'model' | 'continues'>;
  /** When the team was made. */
  readonly createdAt: number;
  /** One line for the person. */
  readonly onProblem: (problem: string) => void;
}

export async function openSessionTelemetry(options: TelemetryOptions): Promise<SessionTelemetry> {
  const { world, launch, createdAt } = options;
  const { clock, ids } = world;
  const newId = () => ids.hex(16);
  const sink = await sinkFor(options, newId);
  // All processes of a team are in one trace without having to tell each other.
  const digest = createHash('sha256').update(`${launch.team} ${createdAt}`).digest('hex');
  const teamPlace = { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) };
  const team = launch.role === 'lead' ? openSpan({ clock, sink, newId }, teamPlace, 'team') : undefined;
  const memberPlace = { traceId: teamPlace.traceId, spanId: newId(), parentId: teamPlace.spanId };
  const span = openSpan({ clock, sink, newId }, memberPlace, 'member', { role: launch.role });
  const main = followAgent(span);
  const startedAt = clock.now();
  const agents = new Map<string, AgentSpans>();
  const types = new Map<string, string>();

  const agentOf = (toolUseId: string): AgentSpans => {
    const known = agents.get(toolUseId);
    if (known) return known;
    const parent = [main, ...agents.values()].find((agent) => agent.calls(toolUseId)) ?? main;
    const agent = followAgent(parent.span.child('sub-agent'));
    agents.set(toolUseId, agent);
    return agent;
  };
  const taskEnded = ({ type, agentId, toolUseId, status, startedAt: from, endedAt = from }: TaskRecord) => {
    const agent = agents.get(toolUseId);
    if (type === 'shell' || !agent) return;
    agents.delete(toolUseId);
    agent.span.happened(agent.complete(types.get(agentId ?? '') ?? 'custom', status, endedAt - from));
  };

  return {
    happened: (about) => span.happened(about),
    event(event) {
      if (event.type === 'subagent') agentOf(event.toolUseId).event(event.event);
      else if (event.type === 'task_notification') taskEnded(event.task);
      else main.event(event);
    },
    member: (definition) =>
      span.happened(selection(launch, definition, { isBackground: false, isResumed: launch.continues === true })),
    selected(record, { definition, isBackground }) {
      types.set(record.agentId, typeWord(record.agentType, definition?.source === 'built-in'));
      span.happened(selection(record, definition, { isBackground, isResumed: record.endedAt !== undefined }));
    },
    gate: (gate) => ({
      async decide(tool, ...call) {
        const begun = clock.monotonic();
        const answer = await gate.decide(tool, ...call);
        const ms = Math.round(clock.monotonic() - begun);
        span.happened({ name: 'permission_decided', tool: toolWord(tool.name), allowed: answer.allow, ms });
        return answer;
      },
    }),
    async close() {
      span.happened(main.complete(typeWord(launch.agentType), 'completed', clock.now() - startedAt));
      team?.end(true);
      await sink.close();
    },
  };
}

function selection(
  { agentType, model, origin }: Pick<AgentRecord, 'agentType' | 'model'> & { readonly origin?: string },
  definition: AgentDefinition | undefined,
  { isBackground, isResumed }: { readonly isBackground: boolean; readonly isResumed: boolean },
): Happening {
  const builtIn = definition === undefined || definition.source === 'built-in';
  return {
    name: 'agent_selected',
    type: typeWord(agentType, builtIn),
    model: modelWord(model),
    source: definition?.source ?? 'built-in',
    color: colorWord(definition?.color),
    builtIn,
    resume: isResumed,
    async: isBackground,
    fork: origin === 'fork',
  };
}

async function sinkFor({ world, launch, onProblem }: TelemetryOptions, newId: () => string): Promise<Sink> {
  const { clock, home } = world;
  const file = fileSink(home.telemetry, clock);
  if (!launch.environment['OTEL_EXPORTER_OTLP_ENDPOINT']) return file;
  const { collectorIn, openTelemetrySink } = await import('../../telemetry/openTelemetry.js');
  try {
    const collector = collectorIn(launch.environment);
    return collector ? joinedSink([file, openTelemetrySink({ ...collector, clock, newId })]) : file;
  } catch (error) {
    // That nobody can be told is no reason to stop.
    if (launch.role === 'lead') onProblem(messageOf(error));
    return file;
  }
}
