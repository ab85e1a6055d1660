import { expect, test } from 'vitest';
import { endOfTurn } from '../../src/headless/exitCode.js';
import { resultOf } from '../../src/headless/result.js';
import { ModelError } from '../../src/model/types.js';

const failed = (failure: ModelError['failure']) => ({
  reason: 'failed' as const,
  text: 'so far',
  error: new ModelError(failure, 'no'),
});

test.each([
  { failure: 'unavailable', subtype: 'error_during_execution', exitCode: 75 },
  { failure: 'unauthorized', subtype: 'error_during_execution', exitCode: 5 },
  { failure: 'budget', subtype: 'error_max_budget_usd', exitCode: 3 },
  { failure: 'invalid', subtype: 'error_during_execution', exitCode: 1 },
] as const)('a model that fails as $failure ends a run with $exitCode', ({ failure, ...end }) => {
  expect(endOfTurn(failed(failure))).toEqual({ ...end, text: 'so far', errors: ['no'] });
});

test('a fault of the program itself ends a run with 1', () => {
  expect(endOfTurn({ reason: 'failed', text: '', error: new Error('oops') })).toMatchObject({
    exitCode: 1,
    errors: ['oops'],
  });
});

test('a lead without turns left ends a run with 3', () => {
  expect(endOfTurn({ reason: 'max-turns', text: 'so far' })).toMatchObject({
    subtype: 'error_max_turns',
    exitCode: 3,
    text: 'so far',
  });
});

test('a turn that is done, or was ended, lets a run go on', () => {
  expect(endOfTurn({ reason: 'done', text: 'x' })).toBeUndefined();
  expect(endOfTurn({ reason: 'aborted', text: 'x' })).toBeUndefined();
});

test('a result is an error exactly when its exit code is not 0', () => {
  const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const facts = {
    session_id: '',
    team: '',
    num_turns: 0,
    duration_ms: 0,
    duration_api_ms: 0,
    total_cost_usd: 0,
    usage,
    modelUsage: {},
    permission_denials: [],
    members: [],
    tasks: [],
    worktrees: [],
  };
  for (const exitCode of [0, 1, 2, 3, 4, 5, 75, 124, 130, 141, 143] as const) {
    const result = resultOf({ subtype: 'success', exitCode, text: 't', errors: [] }, facts);
    expect({ exitCode, isError: result.is_error, errors: result.errors }).toEqual({
      exitCode,
      isError: exitCode !== 0,
      errors: undefined,
    });
  }
});
