import { expect, test } from 'vitest';
import { CATALOGUE } from '../../src/model/catalogue.js';
import { paramsFor } from '../../src/model/params.js';
import type { Effort, ModelRequest } from '../../src/model/types.js';
import { problemIn } from '../../src/modelServer/check/check.js';

const request: ModelRequest = {
  model: 'claude-sonnet-5-5',
  system: ['You are an agent.', ''],
  messages: [{ role: 'user', content: 'hello' }],
  tools: [
    { name: 'Write', description: 'writes', input_schema: { type: 'object' } },
    { name: 'Bash', description: 'runs', input_schema: { type: 'object' } },
  ],
  userId: 'troupe:red:alice',
};

test('tools of MCP servers stand behind all others as they came: one that is loaded later changes nothing before it', () => {
  const names = ['mcp__b__x', 'Write', 'mcp__a__x', 'Agent'];
  const tools = names.map((name) => ({ name, description: 'does', input_schema: { type: 'object' as const } }));
  const sent = paramsFor({ ...request, tools }).tools?.map((tool) => ('name' in tool ? tool.name : ''));
  expect(sent).toEqual(['Agent', 'Write', 'mcp__b__x', 'mcp__a__x']);
});

test('tools are sent in a fixed order, empty system blocks not at all', () => {
  const { tools, system, metadata, max_tokens } = paramsFor(request);
  expect(tools?.map((tool) => ('name' in tool ? tool.name : ''))).toEqual(['Bash', 'Write']);
  expect(system).toEqual([{ type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } }]);
  expect(metadata).toEqual({ user_id: 'troupe:red:alice' });
  expect(max_tokens).toBe(128_000);
});

const efforts: (Effort | undefined)[] = [undefined, 'low', 'medium', 'high', 'xhigh', 'max'];
const asked = CATALOGUE.flatMap(({ id }) =>
  (['adaptive', 'off'] as const).flatMap((thinking) => efforts.map((effort) => ({ id, thinking, effort }))),
);

test.each(asked)(
  'what is sent to $id for thinking $thinking and effort $effort is taken',
  ({ id, thinking, effort }) => {
    const body = paramsFor({ ...request, model: id, thinking, maxTokens: 1_000_000, ...(effort && { effort }) });
    expect(problemIn(body)).toBeUndefined();
  },
);

test('thinking is switched off in the form that the model has for it, or kept at its lowest', () => {
  const off = (model: string) => {
    const { thinking, output_config } = paramsFor({ ...request, model, thinking: 'off' });
    return { thinking, effort: output_config?.effort };
  };
  expect(off('claude-haiku-5-5')).toEqual({ thinking: { type: 'disabled' }, effort: undefined });
  expect(off('claude-sonnet-5-5')).toEqual({ thinking: { type: 'between_tools' }, effort: undefined });
  expect(off('claude-opus-5-5')).toEqual({ thinking: undefined, effort: 'low' });
});

test('another model than the asked one is not given thinking that it cannot read', () => {
  const messages: ModelRequest['messages'] = [
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'done' },
      ],
    },
    { role: 'user', content: 'more' },
  ];
  expect(JSON.stringify(paramsFor({ ...request, messages }).messages)).toContain('thinking');
  expect(JSON.stringify(paramsFor({ ...request, messages }, 'claude-opus-5-5').messages)).not.toContain('thinking');
});
