import type { HttpHook } from '../definitions/hook.js';
import { matchesUrl } from '../util/urlPattern.js';
import type { HookEnd } from './answer.js';

/** What settings let http hooks do. */
export interface HttpLimits {
  /** Addresses, with `*` for anything. */
  readonly urls?: readonly string[] | undefined;
  readonly variables?: readonly string[] | undefined;
}

/** Asks an http hook. Any answer but a 2xx counts as an error that blocks nothing. @throws where there is no answer. */
export async function askHttpHook(
  hook: HttpHook,
  input: string,
  { env, limits = {} }: { readonly env: Readonly<Record<string, string>>; readonly limits?: HttpLimits | undefined },
  signal: AbortSignal,
): Promise<HookEnd> {
  const { urls, variables } = limits;
  if (urls && !urls.some((pattern) => matchesUrl(pattern, hook.url)))
    throw new Error('allowedHttpHookUrls in the settings does not name its address');
  const may = hook.allowedEnvVars?.filter((name) => variables?.includes(name) ?? true);
  const response = await fetch(hook.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf({ ...hook, allowedEnvVars: may }, env) },
    body: input,
    // Where it leads from there nobody has allowed.
    ...(urls && { redirect: 'error' as const }),
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
