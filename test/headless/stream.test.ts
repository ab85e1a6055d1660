import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/agent/events.js';
import { agentLine } from '../../src/headless/stream.js';

test('a conversation that goes on from a summary is a line of its own', () => {
  const event = { type: 'compacted', trigger: 'auto', preTokens: 180_000 } as AgentEvent;
  expect(agentLine(event, 'S')).toEqual({
    type: 'system',
    subtype: 'compact_boundary',
    compact_metadata: { trigger: 'auto', pre_tokens: 180_000 },
    session_id: 'S',
  });
});
