/** An element of a document. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const TOKEN =
  /<\?xml [^?]*\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([\w-]+)>|<([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d+));/g;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** What XML 1.0 lets a document hold, https://www.w3.org/TR/xml/#charsets */
const ALLOWED = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;

/** Reads a document as strictly as it takes to know that it is one: no comments, no doctype. @throws Error where it is none. */
export function parseXml(text: string): Element {
  if (!ALLOWED.test(text)) throw new Error('It holds a character that XML has no place for.');
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(text);
    if (!token) throw new Error(`No XML from ${at} on: ${text.slice(at, at + 80)}`);
    const [, cdata, closes, opens, attributes = '', empty, words] = token;
    const inside = open.at(-1) ?? root;
    if (closes !== undefined) {
      if (inside.name !== closes) throw new Error(`</${closes}> closes <${inside.name}>.`);
      open.pop();
    } else if (opens !== undefined) {
      const element = { name: opens, attributes: attributesOf(attributes), children: [], text: '' };
      inside.children.push(element);
      if (empty === '') open.push(element);
    } else inside.text += cdata ?? (words === undefined ? '' : unescaped(words));
  }
  const [only, ...others] = root.children;
  if (open.length !== 1 || !only || others.length > 0) throw new Error('It is not one whole element.');
  return only;
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
    name,
    // https://www.w3.org/TR/xml/#AVNormalize
    unescaped(value.replace(/[\t\n\r]/g, ' ')),
  ]);
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new Error(`An attribute is there twice: ${text}`);
  return Object.fromEntries(pairs);
}

function unescaped(text: string): string {
  if (text.replace(ENTITY, '').includes('&')) throw new Error(`A bare & in: ${text}`);
  return text.replace(ENTITY, (_, name?: string, code?: string) =>
    name === undefined ? String.fromCodePoint(Number(code)) : (NAMED[name] ?? ''),
  );
}
