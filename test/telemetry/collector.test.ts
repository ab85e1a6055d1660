import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/host/clock.js';
import type { TelemetryEvent } from '../../src/telemetry/event.js';
import { collectorIn, openTelemetrySink } from '../../src/telemetry/openTelemetry.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';

const SPAN: TelemetryEvent = {
  ...{ event: 'span', kind: 'tool', startedAt: 1, endedAt: 2, ok: true, attributes: { tool: 'Bash' } },
  ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) },
};

async function collector(answers: boolean) {
  const seen: { path: string | undefined; key: unknown; body: string }[] = [];
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ path: request.url, key: request.headers['x-key'], body });
    if (answers) response.end('{}');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  return {
    seen,
    endpoint: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

test('spans are sent with the headers that the environment gives', async () => {
  await using web = await collector(true);
  const found = collectorIn({
    OTEL_EXPORTER_OTLP_ENDPOINT: web.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: ' x-key = a%20b%2Cc ,broken,=x',
  });
  expect(found?.headers).toEqual({ 'x-key': 'a b,c' });
  const sink = openTelemetrySink({
    endpoint: web.endpoint,
    headers: found?.headers ?? {},
    clock: systemClock,
    newId: () => 'c',
  });
  sink.tell(SPAN);
  await sink.close();
  expect(web.seen).toMatchObject([{ path: '/v1/traces', key: 'a b,c' }]);
  expect(JSON.parse(web.seen[0]?.body ?? '')).toMatchObject({
    resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'tool', traceId: SPAN.traceId, spanId: SPAN.spanId }] }] }],
  });
});

test('a collector that does not answer delays an end by a second and no more, and nothing of it goes on', async () => {
  await using web = await collector(false);
  const clock = fakeClock();
  const sink = openTelemetrySink({ endpoint: web.endpoint, headers: {}, clock, newId: () => 'c' });
  for (let count = 0; count < 120; count++) sink.tell(SPAN);
  await eventually(() => expect(web.seen).toHaveLength(2));
  let isClosed = false;
  const closing = sink.close().then(() => {
    isClosed = true;
  });
  await eventually(() => expect(web.seen).toHaveLength(3));
  await clock.advance(999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(false);
  await clock.advance(1);
  await closing;
});

test('one that is not there costs nothing but its spans', async () => {
  const sink = openTelemetrySink({ endpoint: 'http://127.0.0.1:9', headers: {}, clock: fakeClock(), newId: () => 'c' });
  sink.tell(SPAN);
  await sink.close();
});

test.each(['no address', 'ftp://x', 'localhost:4318'])(
  'an endpoint that is none is an error that says so: %s',
  (endpoint) => {
    expect(() => collectorIn({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toThrow('OTEL_EXPORTER_OTLP_ENDPOINT must be');
    expect(collectorIn({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeUndefined();
  },
);
