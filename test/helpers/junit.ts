import { expect } from 'vitest';
import { type Element, parseXml } from './xml.js';

const COUNT = /^\d+$/;
const SECONDS = /^\d+\.\d+$/;
const TEXT = /^[\s\S]+$/;

/** What JUnit's readers agree on: which elements stand in which, in which order, and what they must say. */
const FORM: Readonly<Record<string, { has: readonly string[]; must: Readonly<Record<string, RegExp>> }>> = {
  testsuites: { has: ['testsuite'], must: { name: TEXT, tests: COUNT, failures: COUNT, errors: COUNT, time: SECONDS } },
  testsuite: {
    has: ['testcase'],
    must: {
      name: TEXT,
      tests: COUNT,
      failures: COUNT,
      errors: COUNT,
      skipped: COUNT,
      time: SECONDS,
      timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
      hostname: TEXT,
    },
  },
  testcase: { has: ['failure', 'system-out'], must: { name: TEXT, classname: TEXT, time: SECONDS } },
  failure: { has: [], must: { message: TEXT, type: TEXT } },
  'system-out': { has: [], must: {} },
};

export interface JUnitCase {
  readonly suite: string;
  readonly name: string;
  readonly failure?: { readonly message: string; readonly type: string; readonly text: string };
  readonly output?: string;
}

/** The cases of a report, once it has been found to be well formed, of JUnit's form, and to count right. */
export function casesOf(xml: string): JUnitCase[] {
  const root = parseXml(xml);
  expect(root.name).toBe('testsuites');
  checkForm(root);
  return root.children.flatMap((suite) => suite.children.map((testcase) => caseOf(suite, testcase)));
}

function checkForm(element: Element): void {
  const form = FORM[element.name];
  if (!form) throw new Error(`JUnit has no <${element.name}>.`);
  expect(Object.keys(element.attributes).toSorted()).toEqual(Object.keys(form.must).toSorted());
  for (const [name, pattern] of Object.entries(form.must)) expect(element.attributes[name]).toMatch(pattern);
  const order = element.children.map(({ name }) => form.has.indexOf(name));
  expect(order, element.name).toEqual(order.toSorted());
  expect(order).not.toContain(-1);
  for (const child of element.children) checkForm(child);
  if (!element.name.startsWith('testsuite')) return;
  const cases = all(element, 'testcase');
  const failures = cases.filter(({ children }) => children.some(({ name }) => name === 'failure'));
  expect(element.attributes).toMatchObject({ tests: `${cases.length}`, failures: `${failures.length}`, errors: '0' });
}

function all({ children }: Element, name: string): Element[] {
  return children.flatMap((child) => (child.name === name ? [child] : all(child, name)));
}

function caseOf(suite: Element, { attributes, children }: Element): JUnitCase {
  const failure = children.find(({ name }) => name === 'failure');
  const output = children.find(({ name }) => name === 'system-out');
  const { message = '', type = '' } = failure?.attributes ?? {};
  return {
    suite: suite.attributes['name'] ?? '',
    name: attributes['name'] ?? '',
    ...(failure && { failure: { message, type, text: failure.text } }),
    ...(output && { output: output.text }),
  };
}
