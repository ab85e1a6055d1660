/** A function of the demo's project. Its body is one expression, and its comment says which. */
export interface ShopFunction {
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
export const SHOP_FUNCTIONS: readonly ShopFunction[] = [
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
