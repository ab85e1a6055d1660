/** Splits calls into groups that run one after the other: neighbours that may run side by side form one. */
export function batchesOf<T>(calls: readonly T[], isConcurrent: (call: T) => boolean): T[][] {
  const batches: { concurrent: boolean; calls: T[] }[] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    const concurrent = isConcurrent(call);
    if (concurrent && last?.concurrent) last.calls.push(call);
    else batches.push({ concurrent, calls: [call] });
  }
  return batches.map((batch) => batch.calls);
}
