import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html, markupOf } from '../../../src/report/page/html.js';
import { visible } from '../../../src/util/visible.js';
import { parsedPage } from './parsed.js';

/** What ends a tag, an attribute, a script or a comment, among anything else. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('<', '>', '"', "'", '`', '&', '&lt', '&#60;', '</p>', '<script>', '</script>', '<!--', '-->'),
      fc.constantFrom(' onload=x', '\0', '\r', '\ud800', ']]>', '<svg/onload=x>', '</title>', '</style>', '\u2028'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

test('no text makes a tag or an attribute, and a reader sees the text that it is', () => {
  fc.assert(
    fc.property(hostile, hostile, (text, value) => {
      const { all } = parsedPage(
        `<!doctype html><title>t</title>${markupOf(html`<p title="${value}">${text}</p><b>end</b>`)}`,
      );
      expect(all('p').map(({ inside }) => inside)).toEqual([[]]);
      expect(all('p')[0]?.attributes).toEqual({ title: shown(value) });
      expect(all('p')[0]?.text).toBe(shown(text));
      expect(all('script')).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** What would draw nothing, or turn the line around, is a word. */
const shown = (text: string) => visible(text.toWellFormed());

test('markup and lists of it stand as they are, nothing stands for what is not there', () => {
  const item = (name: string) => html`<li>${name}</li>`;
  expect(markupOf(html`<ul>${[item('a<b'), [item('c')]]}</ul>${undefined}${false}${0}`)).toBe(
    '<ul><li>a&lt;b</li><li>c</li></ul>0',
  );
});

test('what looks like markup and was made elsewhere is none', () => {
  const forged = Object.assign(JSON.parse('{"text":"<b>"}'), { toString: () => '<b>' });
  expect(markupOf(html`<p>${forged}</p>`)).toBe('<p></p>');
});
