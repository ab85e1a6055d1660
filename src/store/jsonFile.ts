import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { hasCode, UserError } from '../util/errors.js';
import { writeAtomic } from './atomicFile.js';
import { withLock } from './lock.js';

/** Parses what another process or a person wrote. @throws UserError that names the file and what is wrong in it. */
export function parseJson<S extends z.ZodMiniType>(schema: S, text: string, path: string): z.output<S> {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${path} is not JSON: ${error instanceof Error ? error.message : error}`, 1, { cause: error });
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw new UserError(`${path} is not what it should be:\n${z.prettifyError(parsed.error)}`, 1);
}

/** A JSON file's content, or `undefined` where there is no such file. */
export async function readJson<S extends z.ZodMiniType>(path: string, schema: S): Promise<z.output<S> | undefined> {
  try {
    return parseJson(schema, await readFile(path, 'utf8'), path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export async function writeJson(path: string, value: unknown): Promise<void> {
  await writeAtomic(path, toJson(value));
}

export interface JsonFile<T> {
  read(): Promise<T | undefined>;
  /** The only way to change the file. `change` sees the newest value and returns the next one. */
  update(change: (current: T | undefined) => T): Promise<T>;
}

/** A JSON file that several processes change, each under its lock. Its folder must exist. */
export function jsonFile<S extends z.ZodMiniType>(path: string, schema: S): JsonFile<z.output<S>> {
  const read = () => readJson(path, schema);
  return {
    read,
    update: (change) =>
      withLock(path, async (stillOurs) => {
        const next = schema.parse(change(await read()));
        await writeAtomic(path, toJson(next), { beforeRename: stillOurs });
        return next;
      }),
  };
}
