import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TeamPlace } from '../../team/messages.js';
import { type RunRecord, readRunRecord } from '../../team/runRecord.js';

/** The records of all members that have one, whatever their state. */
export async function allRunRecords({ paths }: Pick<TeamPlace, 'paths'>): Promise<RunRecord[]> {
  const names = (await readdir(paths.run)).filter((name) => name.endsWith('.json'));
  const records = await Promise.all(names.map((name) => readRunRecord(join(paths.run, name))));
  return records.filter((record) => record !== undefined);
}

/** What a whole team has spent so far, in US dollars. */
export async function spentBy(place: Pick<TeamPlace, 'paths'>): Promise<number> {
  return (await allRunRecords(place)).reduce((sum, { costUsd }) => sum + costUsd, 0);
}
