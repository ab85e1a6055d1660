import type { HttpHook } from '../definitions/hook.js';
import type { HookEnd } from './answer.js';

/** Asks an http hook. Any answer but a 2xx counts as an error that blocks nothing. @throws where there is no answer. */
export async function askHttpHook(
  hook: HttpHook,
  input: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<HookEnd> {
  const response = await fetch(hook.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf(hook, env) },
    body: input,
    signal,
  });
  const body = await response.text();
  return response.ok
    ? { exitCode: 0, stdout: body, stderr: '' }
    : { exitCode: 1, stdout: '', stderr: `the answer was ${response.status} ${response.statusText}`.trim() };
}

/** `$NAME` and `${NAME}` stand for a variable that the hook may name; any other is empty. */
function headersOf(
  { headers = {}, allowedEnvVars = [] }: HttpHook,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const variableOf = (name: string) => (allowedEnvVars.includes(name) ? (env[name] ?? '') : '');
  return Object.fromEntries(
    Object.entries(headers).map(([header, value]) => [
      header,
      value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => variableOf(braced ?? bare ?? '')),
    ]),
  );
}
