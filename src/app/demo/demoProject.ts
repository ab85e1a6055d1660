import { UserError } from '../../util/errors.js';
import { SHOP_FUNCTIONS, type ShopFunction } from './demoFunctions.js';

/** How many seeds there are before the bugs repeat. */
export const DEMO_BUGS = SHOP_FUNCTIONS.length * 2;

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
  const round = Math.floor(at / SHOP_FUNCTIONS.length);
  // 5 has no divisor in common with 12: every function has its turn, and the next one is in another file.
  const broken = SHOP_FUNCTIONS[(at * 5) % SHOP_FUNCTIONS.length];
  if (!broken) throw new UserError(`${seed} is no seed: it takes a whole number.`);
  const wrong = broken.wrong[(at + round) % 2 === 0 ? 0 : 1];
  const bodyOf = (one: ShopFunction) => (one === broken ? wrong : one.right);
  const names = [...new Set(SHOP_FUNCTIONS.map(({ file }) => file))];
  const sources = names.flatMap((name) => {
    const own = SHOP_FUNCTIONS.filter(({ file }) => file === name);
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
