import { variable } from '../config/env.js';

/** Whether this runs in a CI, where nobody answers questions. */
export function isCi(): boolean {
  const value = variable('CI');
  return value !== undefined && value !== 'false' && value !== '0';
}

/** What GitHub Actions offers to a step; nothing anywhere else. */
export function actionsFacts(): { readonly summaryFile: string | undefined } | undefined {
  return variable('GITHUB_ACTIONS') === 'true' ? { summaryFile: variable('GITHUB_STEP_SUMMARY') } : undefined;
}
