import { expect, test } from 'vitest';
import { inert, inertJson, unobeyed } from '../../src/report/workflowCommands.js';

const OBEYED = [
  '::error::x',
  'first\n::add-mask::x',
  'first\r::set-output name=a::b',
  ' \t::debug::x',
  '\u0085::group::x',
  'in the middle ##[error]x',
];
const HARMLESS = ['', 'std::vector', 'a ::error::b', 'Look:\n- ::error:: is a command', '# [x]', '## [x]'];

test.each(OBEYED)('a text for people has nothing in it that a runner obeys: %j', (text) => {
  const said = inert(text);
  expect(said).not.toBe(text);
  expect(inert(said)).toBe(said);
  expect(said.replaceAll('\\', '')).toBe(text);
});

test.each(HARMLESS)('what a runner does not obey stays as it is: %j', (text) => {
  expect(inert(text)).toBe(text);
  expect(unobeyed(text, () => 'T')).toBe(text);
});

test.each(OBEYED)('an answer stays as it is, between lines that have the runner obey nothing: %j', (text) => {
  expect(unobeyed(text, () => 'T')).toBe(`::stop-commands::T\n${text}\n::T::`);
});

test('JSON says the same, and has nothing in it that a runner obeys', () => {
  const json = JSON.stringify({ result: 'see ##[error]x and ##[group]y', '##[k]': 1 });
  expect(inertJson(json)).not.toContain('##[');
  expect(JSON.parse(inertJson(json))).toEqual(JSON.parse(json));
});
