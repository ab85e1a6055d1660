/** What a reader of a page does not see. */
const UNREAD: readonly string[] = ['script', 'style', 'noscript', 'template', 'svg', 'iframe'];

const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
/** More takes a parser of HTML many seconds, in which the whole program stands still. */
const MOST_CHARACTERS = 250_000;
const MOST_UNCLOSED = 100;

export interface LeanHtml {
  readonly html: string;
  /** So large, or with so many elements left open, that only `plainText` is safe to make of it. */
  readonly isHeavy: boolean;
}

/** A page without what nobody reads. Its time grows with the page's length alone, whatever the page is. */
export function leanHtml(html: string): LeanHtml {
  const lower = html.toLowerCase();
  const open = new Map<string, number>();
  const kept: string[] = [];
  let from = 0;
  const tag = /<!--|<(\/?)([a-z][\w-]*)/g;
  for (let found = tag.exec(lower); found; found = tag.exec(lower)) {
    const [start, slash, name = ''] = found;
    const isUnread = UNREAD.includes(name) && slash === '';
    if (isUnread || start === '<!--') {
      kept.push(html.slice(from, found.index));
      from = isUnread ? endOfElement(lower, name, tag.lastIndex) : endOf(lower, '-->', tag.lastIndex);
      tag.lastIndex = from;
    } else if (!VOID.has(name)) open.set(name, (open.get(name) ?? 0) + (slash === '' ? 1 : -1));
  }
  kept.push(html.slice(from));
  const lean = kept.join('');
  const unclosed = [...open.values()].reduce((sum, count) => sum + Math.abs(count), 0);
  return { html: lean, isHeavy: lean.length > MOST_CHARACTERS || unclosed > MOST_UNCLOSED };
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
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .split('\n')
    .map((line) => line.replace(/[ \t]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}
