import { type FileHandle, open, readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { hasCode } from '../util/errors.js';
import { onOpenFile } from './openFile.js';

/** Appends one record. One write of one line, so that writers of several processes do not mix. */
export async function appendLine(path: string, record: unknown): Promise<void> {
  await appendLines(path, [record]);
}

/** `durable`: on disk when it returns. */
export async function appendLines(path: string, records: readonly unknown[], { durable = false } = {}): Promise<void> {
  if (records.length === 0) return;
  const file = await open(path, 'a', 0o600);
  try {
    await onOpenFile(path, async () => {
      await writeWhole(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      if (durable) await file.datasync();
    });
  } finally {
    await file.close();
  }
}

/** A disk that is almost full takes a part without an error; what is asked for the rest tells. */
async function writeWhole(file: FileHandle, text: string): Promise<void> {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    const { bytesWritten } = await file.write(rest);
    rest = rest.subarray(bytesWritten);
  }
}

export interface Lines<Record = unknown> {
  readonly records: readonly Record[];
  /** Line numbers, from 1, that are not JSON or not what the schema asks. A last line without its end is a torn one and is left out in silence. */
  readonly broken: readonly number[];
}

/** Every record of a file; none where there is no file. */
export const readLines = (path: string): Promise<Lines> => readRecords(path, z.unknown());

/** Every record of a file, as `schema` has it; none where there is no file. */
export async function readRecords<S extends z.ZodMiniType>(path: string, schema: S): Promise<Lines<z.output<S>>> {
  try {
    return parseRecords(await readFile(path, 'utf8'), schema);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { records: [], broken: [] };
    throw error;
  }
}

export const parseLines = (text: string): Lines => parseRecords(text, z.unknown());

export function parseRecords<S extends z.ZodMiniType>(text: string, schema: S): Lines<z.output<S>> {
  const records: z.output<S>[] = [];
  const broken: number[] = [];
  const lines = text.split('\n');
  const last = lines.length - 1;
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const record = parseLine(line, schema);
    if (record.ok) records.push(record.value);
    else if (index !== last) broken.push(index + 1);
  }
  return { records, broken };
}

function parseLine<S extends z.ZodMiniType>(line: string, schema: S): { ok: true; value: z.output<S> } | { ok: false } {
  try {
    const { success, data } = schema.safeParse(JSON.parse(line));
    return success ? { ok: true, value: data } : { ok: false };
  } catch {
    return { ok: false };
  }
}
