import { SpanKind as OtelKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Span, TelemetryEvent } from './event.js';
import type { Sink } from './sink.js';

/** How many spans are sent in one request. */
const BATCH = 50;

/**
 * Sends spans to a collector over OTLP/HTTP, as JSON. What happens is a span without length inside of the one in which
 * it happens.
 * @param endpoint `OTEL_EXPORTER_OTLP_ENDPOINT`: `/v1/traces` comes behind it.
 */
export function openTelemetrySink(endpoint: string, newId: () => string): Sink {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, timeoutMillis: 5000 });
  const resource = resourceFromAttributes({ 'service.name': 'troupe' });
  const sending = new Set<Promise<void>>();
  const waiting: ReadableSpan[] = [];

  const send = () => {
    const spans = waiting.splice(0);
    if (spans.length === 0) return;
    const sent = new Promise<void>((resolve) => exporter.export(spans, () => resolve())).finally(() =>
      sending.delete(sent),
    );
    sending.add(sent);
  };

  return {
    tell(event) {
      waiting.push(readable(spanOf(event, newId), nameOf(event), resource));
      if (waiting.length >= BATCH) send();
    },
    async close() {
      send();
      await Promise.all(sending);
      await exporter.shutdown().catch(() => {});
    },
  };
}

const nameOf = (event: TelemetryEvent) => (event.event === 'span' ? event.kind : event.about.name);

function spanOf(event: TelemetryEvent, newId: () => string): Omit<Span, 'kind'> {
  if (event.event === 'span') return event;
  const { name: _, ...about } = event.about;
  const attributes: Record<string, string | number | boolean> = {};
  for (const [key, value] of Object.entries(about)) if (value !== undefined) attributes[key] = value;
  const { traceId, spanId: parentId, at } = event;
  return { traceId, spanId: newId(), parentId, startedAt: at, endedAt: at, ok: true, attributes };
}

function readable(
  { traceId, spanId, parentId, startedAt, endedAt, ok, attributes }: Omit<Span, 'kind'>,
  name: string,
  resource: ReadableSpan['resource'],
): ReadableSpan {
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  return {
    name,
    kind: OtelKind.INTERNAL,
    spanContext: () => context(spanId),
    ...(parentId !== undefined && { parentSpanContext: context(parentId) }),
    startTime: hrTime(startedAt),
    endTime: hrTime(endedAt),
    duration: hrTime(Math.max(0, endedAt - startedAt)),
    status: { code: ok ? SpanStatusCode.OK : SpanStatusCode.ERROR },
    attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'troupe' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): [number, number] {
  const whole = Math.trunc(ms);
  return [Math.trunc(whole / 1000), (whole % 1000) * 1_000_000];
}
