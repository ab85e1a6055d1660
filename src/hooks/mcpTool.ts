import { isRecord } from '../definitions/frontmatter.js';
import type { McpToolHook } from '../definitions/hook.js';
import type { HookEnd } from './answer.js';

/** Calls a tool of a server that is connected: its text, and whether that is an error. @throws where there is no answer. */
export type CallServer = (
  server: string,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly isError: boolean }>;

/** Asks a hook that is a tool: its text counts as what a command prints, an error of its own blocks nothing. */
export async function askMcpToolHook(
  { server, tool, input = {} }: McpToolHook,
  about: Readonly<Record<string, unknown>>,
  call: CallServer,
  signal: AbortSignal,
): Promise<HookEnd> {
  const { text, isError } = await call(server, tool, filledObject(input, about), signal);
  return isError ? { exitCode: 1, stdout: '', stderr: text } : { exitCode: 0, stdout: text, stderr: '' };
}

type Fields = Readonly<Record<string, unknown>>;

const filledObject = (object: Fields, about: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, filled(value, about)]));

/** `${a.b}` in a text stands for that field of what happens; where there is none it stands for nothing. */
function filled(value: unknown, about: Fields): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\{([\w.]+)\}/g, (_, path: string) => {
      const found = path.split('.').reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), about);
      return typeof found === 'string' ? found : (JSON.stringify(found) ?? '');
    });
  if (Array.isArray(value)) return value.map((one) => filled(one, about));
  return isRecord(value) ? filledObject(value, about) : value;
}
