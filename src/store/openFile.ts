import { isSystemError } from '../util/errors.js';

/** Works on a file that is open. In its errors Node names no path then: they get `path`. */
export async function onOpenFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isSystemError(error) && error.path === undefined) {
      error.path = path;
      error.message += ` '${path}'`;
    }
    throw error;
  }
}
