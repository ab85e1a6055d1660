import { PassThrough } from 'node:stream';

/** A terminal without a screen. */
export function fakeTerminal() {
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (isRaw: boolean) => raw.push(isRaw) });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  return {
    stdin,
    stdout,
    streams: { stdin, stdout },
    /** What raw mode was set to, in order. */
    raw,
    type: (keys: string) => stdin.emit('data', Buffer.from(keys)),
    /** What was written since the last look. */
    drawn: () => String(stdout.read() ?? ''),
  };
}
