import { SpanKind as OtelKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { type Clock, within } from '../host/clock.js';
import { UserError } from '../util/errors.js';
import type { Span, TelemetryEvent } from './event.js';
import type { Sink } from './sink.js';

/** How many spans are sent in one request. */
const BATCH = 50;
const ANSWER_MS = 5_000;
/** What the end of a session waits for a collector that does not answer. */
const LAST_ANSWER_MS = 1_000;

export interface CollectorOptions {
  /** `/v1/traces` comes behind it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/**
 * The collector that the environment names (OpenTelemetry, exporter configuration): `OTEL_EXPORTER_OTLP_ENDPOINT`, and
 * `OTEL_EXPORTER_OTLP_HEADERS` as `name=value,…`, URL-encoded. Nothing where there is none.
 * @throws UserError where the endpoint is no address.
 */
export function collectorIn(
  environment: Readonly<Record<string, string>>,
): Pick<CollectorOptions, 'endpoint' | 'headers'> | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = '', OTEL_EXPORTER_OTLP_HEADERS: headers = '' } = environment;
  if (endpoint === '') return undefined;
  if (!/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
    throw new UserError(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an address that begins with http:// or https://; nothing is sent.',
    );
  const pairs = headers.split(',').flatMap((pair): [string, string][] => {
    const [, name = '', value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    return name === '' ? [] : [[name, decoded(value)]];
  });
  return { endpoint, headers: Object.fromEntries(pairs) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Sends spans to a collector over OTLP/HTTP, as JSON. What happens is a span without length inside of the one in which
 * it happens. A collector that is not there or does not answer costs its spans, and nobody's time.
 */
export function openTelemetrySink({ endpoint, headers, clock, newId }: CollectorOptions): Sink {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const resource = resourceFromAttributes({ 'service.name': 'troupe' });
  const over = new AbortController();
  const sending = new Set<Promise<void>>();
  const waiting: ReadableSpan[] = [];

  const post = (spans: ReadableSpan[]) =>
    within(clock, ANSWER_MS, async (late) => {
      const body = JsonTraceSerializer.serializeRequest(spans);
      if (!body) return;
      const answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: Buffer.from(body),
        signal: AbortSignal.any([late, over.signal]),
      });
      await answer.arrayBuffer();
    });
  const send = () => {
    const spans = waiting.splice(0);
    if (spans.length === 0) return;
    const sent = post(spans)
      .then(
        () => {},
        () => {},
      )
      .finally(() => sending.delete(sent));
    sending.add(sent);
  };

  return {
    tell(event) {
      waiting.push(readable(spanOf(event, newId), nameOf(event), resource));
      if (waiting.length >= BATCH) send();
    },
    async close() {
      send();
      await within(clock, LAST_ANSWER_MS, () => Promise.all(sending));
      over.abort();
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
