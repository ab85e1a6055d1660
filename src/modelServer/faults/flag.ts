import { UserError } from '../../util/errors.js';
import { didYouMean } from '../../util/text.js';
import { Fault } from './fault.js';

/** What a fault is called on the command line, and the fields that it stands for. */
const KINDS: Readonly<Record<string, (value: string) => Record<string, unknown>>> = {
  cut: () => ({ stream: 'cut' }),
  error: () => ({ stream: 'error' }),
  malformed: () => ({ stream: 'malformed' }),
  hang: () => ({ stream: 'hang' }),
  silent: () => ({ stream: 'silent' }),
  'max-tokens': () => ({ stop: 'max_tokens' }),
  refusal: () => ({ stop: 'refusal' }),
  'prompt-too-long': () => ({ promptTooLong: true }),
  'slow-start': (value) => ({ slowStart: seconds(value) }),
  'tokens-per-second': (value) => ({ tokensPerSecond: Number(value) }),
};

const SETTINGS: Readonly<Record<string, (value: string) => Record<string, unknown>>> = {
  'retry-after': (value) => ({ retryAfter: seconds(value) }),
  message: (value) => ({ message: value }),
  times: (value) => ({ times: Number(value) }),
  after: (value) => ({ after: Number(value) }),
  every: (value) => ({ every: Number(value) }),
  for: (value) => ({ for: seconds(value) }),
  'slow-start': (value) => ({ slowStart: seconds(value) }),
  'tokens-per-second': (value) => ({ tokensPerSecond: Number(value) }),
};

/** The names that `--fault` knows, beside HTTP statuses. */
export const FAULT_NAMES: readonly string[] = Object.keys(KINDS);

/**
 * `NAME[=VALUE][,SETTING=VALUE…]`, as `529,for=10s`, `429,retry-after=3`, `cut,after=2` or `tokens-per-second=20`.
 * @throws UserError
 */
export function parseFault(text: string): Fault {
  const [first = '', ...rest] = text.split(',');
  const [name, value] = halves(first);
  const fail = (words: string): never => {
    throw new UserError(`--fault ${text}: ${words}`);
  };
  const ofKind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!ofKind && !/^[45]\d\d$/.test(name))
    return fail(`there is no fault "${name}".${didYouMean(name, FAULT_NAMES)} A status or ${FAULT_NAMES.join(', ')}`);
  const fields = ofKind ? ofKind(value) : { status: Number(name) };
  const settings = rest.map((setting) => {
    const [key, given] = halves(setting);
    const read = Object.hasOwn(SETTINGS, key) ? SETTINGS[key] : undefined;
    return read?.(given) ?? fail(`there is no setting "${key}".${didYouMean(key, Object.keys(SETTINGS))}`);
  });
  const parsed = Fault.safeParse(Object.assign({}, fields, ...settings));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return fail(issue?.path.length ? `${issue.path.join('.')} is not a number that fits` : (issue?.message ?? ''));
}

function halves(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** `10s`, `1.5`, `2m`; `NaN` for anything else. */
function seconds(text: string): number {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  return Number(amount) * ({ ms: 0.001, s: 1, m: 60 }[unit] ?? 1);
}
