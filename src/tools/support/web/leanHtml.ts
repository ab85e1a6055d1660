/** What a reader of a page does not see. */
const UNREAD: readonly string[] = ['script', 'style', 'noscript', 'template', 'svg', 'iframe'];

/** A page without what nobody reads. Its time grows with the page's length alone, whatever the page is. */
export function leanHtml(html: string): string {
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()); // others may have more characters in lower case
  const kept: string[] = [];
  let from = 0;
  const tag = /<!--|<([a-z][\w-]*)/g;
  for (let found = tag.exec(lower); found; found = tag.exec(lower)) {
    const [start, name = ''] = found;
    if (start !== '<!--' && !UNREAD.includes(name)) continue;
    kept.push(html.slice(from, found.index));
    from = name === '' ? endOf(lower, '-->', tag.lastIndex) : endOfElement(lower, name, tag.lastIndex);
    tag.lastIndex = from;
  }
  kept.push(html.slice(from));
  return kept.join('');
}

function endOfElement(lower: string, name: string, from: number): number {
  const start = endOf(lower, '>', from);
  if (lower.charAt(start - 2) === '/') return start;
  const close = lower.indexOf(`</${name}`, start);
  return close < 0 ? lower.length : endOf(lower, '>', close);
}

function endOf(lower: string, words: string, from: number): number {
  const at = lower.indexOf(words, from);
  return at < 0 ? lower.length : at + words.length;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The words of a page, a line for each block, without its links. */
export function plainText(html: string): string {
  return html
    .replace(/<\/?(?:p|div|br|hr|li|ul|ol|tr|table|h[1-6]|section|article|pre|blockquote|title|dt|dd)\b[^<>]*>/gi, '\n')
    .replace(/<\/?[a-z!][^<>]*>/gi, ' ')
    .replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/&#(\d{1,6}|x[\da-f]{1,5});/gi, (_, code: string) =>
      String.fromCodePoint(Number(code.replace(/^x/i, '0x'))),
    )
    .split('\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}
