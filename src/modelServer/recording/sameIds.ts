const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/**
 * A text in which each id that a program makes anew in every run (a UUID) is named after the order in which it first
 * comes: two texts that say the same with other ids are one.
 */
export function withNamedIds(text: string): string {
  const names = new Map<string, string>();
  return text.replace(UUID, (id) => {
    const name = names.get(id) ?? `<id ${names.size + 1}>`;
    names.set(id, name);
    return name;
  });
}

/** Ids of a recording, and those that stand for them now. */
export type Ids = Map<string, string>;

/** Learns from two texts that are the same but for their ids which stands for which. */
export function learnIds(known: Ids, recorded: string, asked: string): void {
  const [before, now] = [recorded.match(UUID) ?? [], asked.match(UUID) ?? []];
  for (const [index, id] of before.entries()) known.set(id, now[index] ?? id);
}

/** A text with the ids of now. */
export function withIdsOfNow(text: string, known: Ids): string {
  return text.replace(UUID, (id) => known.get(id) ?? id);
}
