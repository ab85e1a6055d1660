import { widthOf } from './cells.js';

const LIKE: Readonly<Record<string, string>> = {
  '…': '~',
  '│': '|',
  '▸': '>',
  '▏': '_',
  '·': '-',
  '×': 'x',
  '●': '*',
  '←': '<',
  '⎿': '-',
  '✗': 'x',
  '☐': '-',
  '☑': 'x',
  '↑': '^',
  '↓': 'v',
};

const segmenter = new Intl.Segmenter();

/** The same in ASCII, as wide as before: for terminals of which the locale says that they know nothing else. */
export function asciiOnly(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return Array.from(segmenter.segment(text), ({ segment }) =>
    /^[\x20-\x7e]$/.test(segment) ? segment : (LIKE[segment] ?? '?'.repeat(widthOf(segment))),
  ).join('');
}

/** Whether the environment names a locale without Unicode. One that names none leaves it open. */
export function isAsciiLocale({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string>>): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale);
}
