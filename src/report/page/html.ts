import { wellFormed } from '../../util/text.js';
import { visible } from '../../util/visible.js';

/** Markup that was written in this program. Only `html` makes it, so no text from elsewhere can pass for it. */
class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  static textOf(markup: Markup): string {
    return markup.#text;
  }
}

export type Html = Markup;

/** What may stand in a template: texts are escaped, markup and lists of it are put in as they are. */
export type HtmlValue = string | number | Html | undefined | false | readonly HtmlValue[];

/** Markup with values in it, as text between tags or inside of an attribute's quotes. Nothing else is safe for a value. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += `${inserted(value)}${strings[index + 1] ?? ''}`;
  return new Markup(text);
}

/** The finished text. */
export function markupOf(markup: Html): string {
  return Markup.textOf(markup);
}

function inserted(value: HtmlValue): string {
  if (value instanceof Markup) return Markup.textOf(value);
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(inserted).join('');
  return '';
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Nothing in it means anything to a browser any more, and what it would draw in another order or not at all is a word. */
function escaped(text: string): string {
  return visible(wellFormed(text)).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}
