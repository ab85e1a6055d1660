import { createGate, type GateDeps } from '../../agent/calls/gate.js';
import type { Gate } from '../../agent/ports.js';
import type { SessionTelemetry } from './sessionTelemetry.js';

/** A gate, whose decisions are told where anything is. */
export function createWatchedGate(telemetry: Pick<SessionTelemetry, 'gate'> | undefined, deps: GateDeps): Gate {
  const gate = createGate(deps);
  return telemetry?.gate(gate) ?? gate;
}
