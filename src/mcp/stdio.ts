import { type ChildProcess, spawn } from 'node:child_process';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type Clock, within } from '../host/clock.js';
import { killGroup, procStart, sendSignal } from '../host/processes.js';

export interface StdioServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly onStderr: (text: string) => void;
}

export interface StdioTransport extends Transport {
  /** How the program has ended, in words. */
  howEnded(): string | undefined;
}

/** From the end of its stdin to SIGTERM, and from there to SIGKILL. */
const LEAVE_MS = 500;
const TERM_MS = 1000;
/** What a program has written before its end arrives within this. */
const DRAIN_MS = 200;

/** A server as a program in a process group of its own, which is gone with all its children when the transport is closed. */
export function stdioTransport({ command, args, cwd, env, clock, onStderr }: StdioServer): StdioTransport {
  const buffer = new ReadBuffer();
  let child: ChildProcess | undefined;
  let exited: Promise<void> = Promise.resolve();
  let ended: string | undefined;
  let isClosed = false;
  let endedBy: string | undefined;

  const transport: StdioTransport = {
    howEnded: () => endedBy ?? ended,
    async start() {
      const started = spawn(command, [...args], { cwd, env: { ...env }, detached: true, stdio: 'pipe' });
      child = started;
      exited = new Promise((resolve) => {
        started.once('exit', (code, signal) => {
          ended = signal === null ? `exit code ${code}` : signal;
          // What it has started goes with it.
          if (started.pid !== undefined) killGroup(started.pid);
          resolve();
        });
      });
      const drained = new Promise((resolve) => started.once('close', resolve));
      exited.then(() => within(clock, DRAIN_MS, () => drained)).then(closed);
      started.stdout.on('data', read);
      started.stderr.setEncoding('utf8').on('data', onStderr);
      for (const stream of [started.stdin, started.stdout, started.stderr]) stream.on('error', failed);
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve);
        started.once('error', reject);
      });
      started.on('error', failed);
    },
    async send(message) {
      const stdin = child?.stdin;
      if (!stdin?.writable) throw new Error('it is not running');
      await new Promise<void>((resolve, reject) => {
        stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
      });
    },
    async close() {
      if (child?.pid === undefined || ended !== undefined) return closed();
      const { pid } = child;
      const leader = { pid, procStart: (await procStart(pid)) ?? '' };
      const gone = () => exited.then(() => true);
      child.stdin?.end();
      if (await within(clock, LEAVE_MS, gone)) return closed();
      await sendSignal(leader, 'SIGTERM', 'group');
      if (!(await within(clock, TERM_MS, gone))) {
        await sendSignal(leader, 'SIGKILL', 'group');
        await gone();
      }
      closed();
    },
  };

  function failed(error: Error): void {
    transport.onerror?.(error);
  }

  function closed(): void {
    if (isClosed) return;
    isClosed = true;
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
    transport.onclose?.();
  }

  function read(chunk: Buffer): void {
    try {
      buffer.append(chunk);
    } catch (error) {
      failed(error instanceof Error ? error : new Error(String(error)));
      endedBy = 'ended, for it sent more than 10 MB in one message';
      transport.close().catch(() => {});
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch (error) {
        // A line that is no message: servers print to their stdout what belongs into a log.
        failed(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  return transport;
}
