import type { Clock } from '../host/clock.js';
import type { Attributes, Happening, Place, SpanKind } from './event.js';
import type { Sink } from './sink.js';

/** A stretch of time that has begun. */
export interface OpenSpan {
  readonly place: Place;
  /** Another one inside of it. */
  child(kind: SpanKind, attributes?: Attributes): OpenSpan;
  happened(about: Happening): void;
  /** Only the first call counts; what is open inside of it ends with it. */
  end(ok: boolean, attributes?: Attributes): void;
}

export interface SpanDeps {
  readonly clock: Clock;
  readonly sink: Sink;
  /** 16 hexadecimal digits. */
  readonly newId: () => string;
}

/** Begins a span; it is told when it ends. */
export function openSpan(deps: SpanDeps, place: Place, kind: SpanKind, attributes: Attributes = {}): OpenSpan {
  const { clock, sink, newId } = deps;
  const startedAt = clock.now();
  const open = new Set<OpenSpan>();
  let isOpen = true;
  return {
    place,
    child(inner, more) {
      const at = { traceId: place.traceId, spanId: newId(), parentId: place.spanId };
      const begun = openSpan(deps, at, inner, more);
      const child: OpenSpan = {
        ...begun,
        end(ok, last) {
          open.delete(child);
          begun.end(ok, last);
        },
      };
      open.add(child);
      return child;
    },
    happened: (about) =>
      sink.tell({ event: 'happening', at: clock.now(), traceId: place.traceId, spanId: place.spanId, about }),
    end(ok, more = {}) {
      if (!isOpen) return;
      isOpen = false;
      for (const child of open) child.end(ok);
      sink.tell({
        ...{ event: 'span', kind, startedAt, endedAt: clock.now(), ok },
        ...place,
        attributes: { ...attributes, ...more },
      });
    },
  };
}
