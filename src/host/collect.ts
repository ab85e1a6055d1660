import type { Readable } from 'node:stream';

const MOST_CHARACTERS = 1_000_000;

/** Gathers what a program prints, up to a million characters. `ended` resolves when nobody holds its output any more. */
export function collect(stream: Readable | null): { readonly ended: Promise<void>; text(): string } {
  let text = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    if (text.length < MOST_CHARACTERS) text += chunk;
  });
  const ended = new Promise<void>((resolve) => {
    if (!stream) resolve();
    stream?.once('close', resolve);
    stream?.once('error', () => resolve());
  });
  return { ended, text: () => text };
}
