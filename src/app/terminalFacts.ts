import { variable } from '../config/env.js';

/** Whether this runs in a CI, where nobody answers questions. */
export function isCi(): boolean {
  const value = variable('CI');
  return value !== undefined && value !== 'false' && value !== '0';
}
