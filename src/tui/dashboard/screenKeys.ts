import { createInterface, emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Key } from './key.js';

/** Milliseconds after which Esc is a key and not the beginning of one. */
const ESCAPE_MS = 50;

/** What is written to it comes out as key presses. */
export function readKeys(onKey: (key: Key) => void): PassThrough {
  const keys = new PassThrough();
  emitKeypressEvents(keys, createInterface({ input: keys, escapeCodeTimeout: ESCAPE_MS }));
  let pasted: string | undefined;
  keys.on('keypress', (text: string | undefined, pressed: Pressed | undefined) => {
    const name = pressed?.name;
    if (name === 'paste-start') pasted = '';
    else if (name === 'paste-end') {
      // A paste is words, and no row of keys.
      onKey({ name: 'paste', text: pasted ?? '' });
      pasted = undefined;
    } else if (pasted !== undefined) pasted += text ?? pressed?.sequence ?? '';
    else onKey(keyOf(text, pressed));
  });
  return keys;
}

interface Pressed {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly shift?: boolean;
}

const NAMES: Readonly<Record<string, string>> = { return: 'enter', space: ' ' };

function keyOf(text: string | undefined, { name, ctrl = false, meta = false, shift = false }: Pressed = {}): Key {
  if (name === 'tab' && shift) return { name: 'backtab' };
  if (ctrl) return { name: `ctrl-${name ?? ''}` };
  const isTyped = text !== undefined && !meta && /^[^\0-\x1f\x7f-\x9f]+$/.test(text);
  return isTyped ? { name: text, text } : { name: NAMES[name ?? ''] ?? name ?? '' };
}
