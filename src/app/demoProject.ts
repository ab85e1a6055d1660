import { UserError } from '../util/errors.js';

/** A function of the demo's project. Its body is one expression, and its comment says which. */
interface ShopFunction {
  readonly file: 'prices' | 'stock' | 'text' | 'dates';
  readonly name: string;
  readonly parameters: string;
  /** Begins the comment above it, and the title of its test. */
  readonly words: string;
  readonly right: string;
  /** Slips that somebody could have made. Each fails at least one example. */
  readonly wrong: readonly [string, string];
  /** Arguments and what comes out, as code. */
  readonly examples: readonly (readonly [string, string])[];
}

// Neighbours are in different files, so that seeds that follow each other are too.
const FUNCTIONS: readonly ShopFunction[] = [
  {
    file: 'prices',
    name: 'total',
    parameters: 'prices',
    words: 'What a basket costs',
    right: 'prices.reduce((sum, price) => sum + price, 0)',
    wrong: ['prices.reduce((sum, price) => sum - price, 0)', 'prices.reduce((sum, price) => sum + price, 1)'],
    examples: [
      ['[3, 4, 5]', '12'],
      ['[]', '0'],
    ],
  },
  {
    file: 'stock',
    name: 'isLow',
    parameters: 'count, limit',
    words: 'Whether it is time to order more',
    right: 'count <= limit',
    wrong: ['count < limit', 'count >= limit'],
    examples: [
      ['5, 5', 'true'],
      ['4, 5', 'true'],
      ['6, 5', 'false'],
    ],
  },
  {
    file: 'text',
    name: 'initials',
    parameters: 'name',
    words: 'What is printed on a small label',
    right: "name.split(' ').map((word) => word[0].toUpperCase()).join('')",
    wrong: [
      "name.split(' ').map((word) => word[0].toUpperCase()).join(' ')",
      "name.split(' ').map((word) => word[1].toUpperCase()).join('')",
    ],
    examples: [["'ada king'", "'AK'"]],
  },
  {
    file: 'dates',
    name: 'daysBetween',
    parameters: 'from, to',
    words: 'How many days a delivery took',
    right: '(Date.parse(to) - Date.parse(from)) / 86_400_000',
    wrong: ['(Date.parse(from) - Date.parse(to)) / 86_400_000', '(Date.parse(to) - Date.parse(from)) / 3_600_000'],
    examples: [
      ["'2024-02-27', '2024-03-01'", '3'],
      ["'2024-12-31', '2025-01-01'", '1'],
    ],
  },
  {
    file: 'prices',
    name: 'discounted',
    parameters: 'price, percent',
    words: 'What is left to pay',
    right: 'price - (price * percent) / 100',
    wrong: ['price - percent / 100', '(price * percent) / 100'],
    examples: [
      ['200, 15', '170'],
      ['80, 0', '80'],
    ],
  },
  {
    file: 'stock',
    name: 'missing',
    parameters: 'wanted, count',
    words: 'How many have to be ordered for a customer',
    right: 'Math.max(0, wanted - count)',
    wrong: ['Math.min(0, wanted - count)', 'Math.max(0, count - wanted)'],
    examples: [
      ['7, 3', '4'],
      ['2, 9', '0'],
    ],
  },
  {
    file: 'text',
    name: 'shortened',
    parameters: 'text, length',
    words: 'What fits on a shelf',
    right: "text.length <= length ? text : text.slice(0, length - 1) + '…'",
    wrong: [
      "text.length < length ? text : text.slice(0, length - 1) + '…'",
      "text.length <= length ? text : text.slice(0, length) + '…'",
    ],
    examples: [
      ["'apples', 6", "'apples'"],
      ["'blueberries', 6", "'blueb…'"],
    ],
  },
  {
    file: 'dates',
    name: 'isLeapYear',
    parameters: 'year',
    words: 'Whether February has 29 days',
    right: 'year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)',
    wrong: ['year % 4 === 0 && year % 100 !== 0', 'year % 4 === 0'],
    examples: [
      ['2024', 'true'],
      ['2000', 'true'],
      ['1900', 'false'],
    ],
  },
  {
    file: 'prices',
    name: 'withTax',
    parameters: 'price, rate',
    words: 'What the customer pays',
    right: 'price * (1 + rate)',
    wrong: ['price * rate', 'price + rate'],
    examples: [
      ['100, 0.25', '125'],
      ['60, 0.5', '90'],
    ],
  },
  {
    file: 'stock',
    name: 'boxes',
    parameters: 'items, perBox',
    words: 'How many boxes to take from the cellar',
    right: 'Math.ceil(items / perBox)',
    wrong: ['Math.floor(items / perBox)', 'Math.round(items / perBox)'],
    examples: [
      ['8, 4', '2'],
      ['9, 4', '3'],
    ],
  },
  {
    file: 'text',
    name: 'counted',
    parameters: 'count, word',
    words: 'A number of things in words',
    right: "count === 1 ? '1 ' + word : count + ' ' + word + 's'",
    wrong: ["count <= 1 ? '1 ' + word : count + ' ' + word + 's'", "count === 1 ? '1 ' + word : count + ' ' + word"],
    examples: [
      ["1, 'apple'", "'1 apple'"],
      ["0, 'apple'", "'0 apples'"],
      ["3, 'pear'", "'3 pears'"],
    ],
  },
  {
    file: 'dates',
    name: 'quarter',
    parameters: 'month',
    words: 'The quarter of the year that a month is in',
    right: 'Math.ceil(month / 3)',
    wrong: ['Math.floor(month / 3)', 'Math.ceil(month / 4)'],
    examples: [
      ['1', '1'],
      ['12', '4'],
    ],
  },
];

/** How many seeds there are before the bugs repeat. */
export const DEMO_BUGS = FUNCTIONS.length * 2;

export interface DemoProject {
  /** Text by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Path of the file with the wrong line, such as `src/prices.js`. */
  readonly file: string;
  readonly functionName: string;
  /** Whole lines, without their end. */
  readonly brokenLine: string;
  readonly fixedLine: string;
  /** The title of the one test that fails. */
  readonly failingTest: string;
}

/** A small project with one wrong line. The same seed (any integer) gives the same project. */
export function demoProject(seed: number): DemoProject {
  const at = remainder(seed, DEMO_BUGS);
  const round = Math.floor(at / FUNCTIONS.length);
  // 5 has no divisor in common with 12: every function has its turn, and the next one is in another file.
  const broken = FUNCTIONS[(at * 5) % FUNCTIONS.length];
  if (!broken) throw new UserError(`${seed} is no seed: it takes a whole number.`);
  const wrong = broken.wrong[(at + round) % 2 === 0 ? 0 : 1];
  const bodyOf = (one: ShopFunction) => (one === broken ? wrong : one.right);
  const names = [...new Set(FUNCTIONS.map(({ file }) => file))];
  const sources = names.flatMap((name) => {
    const own = FUNCTIONS.filter(({ file }) => file === name);
    return [
      [`src/${name}.js`, own.map((one) => source(one, bodyOf(one))).join('\n')],
      [`test/${name}.test.js`, tests(name, own)],
    ];
  });
  return {
    files: { ...Object.fromEntries(sources), ...frame, 'ISSUE.md': issue(broken) },
    file: `src/${broken.file}.js`,
    functionName: broken.name,
    brokenLine: line(wrong),
    fixedLine: line(broken.right),
    failingTest: titleOf(broken),
  };
}

const remainder = (value: number, by: number) => ((Math.trunc(value) % by) + by) % by;
const line = (expression: string) => `  return ${expression};`;
const titleOf = ({ name, words }: ShopFunction) => `${name}: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;

function source({ name, parameters, words, right }: ShopFunction, body: string): string {
  return `/**
 * ${words}: \`${right}\`.
 */
export function ${name}(${parameters}) {
${line(body)}
}
`;
}

function tests(file: string, functions: readonly ShopFunction[]): string {
  const blocks = functions.map((one) => {
    const checks = one.examples.map(([input, output]) => `  assert.equal(${one.name}(${input}), ${output});`);
    return `test(${JSON.stringify(titleOf(one))}, () => {\n${checks.join('\n')}\n});\n`;
  });
  const names = functions.map(({ name }) => name).join(', ');
  return `import assert from 'node:assert/strict';
import test from 'node:test';
import { ${names} } from '../src/${file}.js';

${blocks.join('\n')}`;
}

function issue(broken: ShopFunction): string {
  const rows = broken.examples.map(([input, output]) => `- \`${broken.name}(${input})\` should be \`${output}\``);
  return `# \`${broken.name}\` gives wrong answers

What its comment promises is right, what comes out is not. Expected:

${rows.join('\n')}

The test "${titleOf(broken)}" fails.
`;
}

const receipt = `import { daysBetween } from './dates.js';
import { discounted, total, withTax } from './prices.js';
import { boxes } from './stock.js';
import { counted, initials } from './text.js';

const TAX = 0.25;

/** What is printed at the till. */
export function receipt({ customer, prices, percent, ordered, collected }) {
  const toPay = withTax(discounted(total(prices), percent), TAX);
  return [
    initials(customer) + ', ' + counted(prices.length, 'item') + ' in ' + counted(boxes(prices.length, 4), 'carton'),
    'To pay: ' + toPay.toFixed(2),
    'Collected after ' + counted(daysBetween(ordered, collected), 'day'),
  ].join('\\n');
}
`;

const frame: Readonly<Record<string, string>> = {
  'README.md': '# Corner shop\n\nWhat the till and the cellar of a small shop reckon with.\n\n    npm test\n',
  'package.json': `${JSON.stringify(
    { name: 'corner-shop', version: '1.0.0', private: true, type: 'module', scripts: { test: 'node --test' } },
    null,
    2,
  )}\n`,
  '.gitignore': 'node_modules/\n',
  'src/receipt.js': receipt,
};
