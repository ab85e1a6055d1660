/** What the harness sends, in a word or two. */
const NAMES: Readonly<Record<string, string>> = {
  idle_notification: 'idle',
  plan_approval_request: 'plan',
  plan_approval_response: 'answer to the plan',
  permission_request: 'asks',
  permission_response: 'answer',
  task_assignment: 'task',
  teammate_exited: 'ended',
};

/** What a message says, in one line and whole. Of what the harness sends, its fields. */
export function messageWords(
  type: string,
  text: string,
  summary: string | undefined,
): { summary: string; text: string } {
  if (type === 'message') return { summary: summary ?? text, text };
  const fields = fieldsOf(text);
  const told = ['result', 'failureReason', 'reason', 'feedback', 'message', 'description', 'subject', 'rule', 'plan']
    .map((name) => fields[name])
    .find((value) => typeof value === 'string' && value !== '');
  const what = NAMES[type] ?? type.replaceAll('_', ' ');
  return {
    summary: typeof told === 'string' ? `${what}: ${told}` : `${what}${verdict(fields)}`,
    text: [what, ...Object.entries(fields).map(([name, value]) => `${name}: ${wordsOf(value)}`)].join('\n'),
  };
}

function verdict({ approve, behavior, idleReason, mode }: Readonly<Record<string, unknown>>): string {
  if (typeof behavior === 'string') return `: ${behavior}`;
  if (approve !== undefined) return String(approve) === 'true' ? ': yes' : ': no';
  const word = idleReason ?? mode;
  return typeof word === 'string' ? `: ${word}` : '';
}

const wordsOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? '');

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : { text };
  } catch {
    return { text };
  }
}
