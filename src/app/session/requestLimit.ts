import { UserError } from '../../util/errors.js';

const VARIABLE = 'TROUPE_MAX_CONCURRENT_REQUESTS';
const DEFAULT = 20;

/** How many requests to models may be in flight at once, on this machine. @throws UserError when the variable says something else than a count. */
export function requestLimit(environment: Readonly<Record<string, string>>): number {
  const said = environment[VARIABLE];
  if (!said) return DEFAULT;
  if (!/^[1-9]\d*$/.test(said)) throw new UserError(`${VARIABLE} is "${said}": it must be a whole number from 1 on.`);
  return Number(said);
}
