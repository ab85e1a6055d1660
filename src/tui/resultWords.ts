import * as z from 'zod/mini';

const Update = z.object({
  success: z.literal(true),
  taskId: z.string(),
  updatedFields: z.array(z.string()),
  statusChange: z.optional(z.object({ from: z.string(), to: z.string() })),
});
const Created = z.object({ task: z.object({ id: z.string(), subject: z.string() }) });
const Plan = z.object({ plan: z.string(), awaitingLeaderApproval: z.literal(true) });
const Spawned = z.object({ status: z.literal('teammate_spawned'), name: z.string() });

/** What a tool of ours answers its model as data, as a person reads it; any other text as it is. */
export function resultWords(text: string): string {
  // What a file or a program says may be megabytes long, and is no business of ours.
  if (!/^\{"(success|task|plan|status)":/.test(text)) return text;
  const data = parsed(text);
  const update = Update.safeParse(data);
  if (update.success) return changeWords(update.data);
  const created = Created.safeParse(data);
  if (created.success) return `task ${created.data.task.id}: ${created.data.task.subject}`;
  const spawned = Spawned.safeParse(data);
  if (spawned.success) return `${spawned.data.name} has started`;
  return Plan.safeParse(data).success ? 'the plan waits for approval' : text;
}

function changeWords({ taskId, updatedFields, statusChange }: z.infer<typeof Update>): string {
  const changes = updatedFields.map((field) =>
    field === 'status' && statusChange ? `${statusChange.from} → ${statusChange.to}` : field,
  );
  return `task ${taskId}: ${changes.join(', ') || 'as it was'}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
