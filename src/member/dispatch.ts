import type { Arrival, Arrivals } from '../agent/arrivals.js';
import { envelope } from '../mailbox/envelope.js';
import { type Handlers, handleWith } from '../mailbox/handlers.js';
import type { Mailbox } from '../mailbox/mailbox.js';
import { HARNESS, type Message } from '../mailbox/message.js';
import { LEAD } from '../team/member.js';

/** What a protocol message means for the model; nothing where it is no matter of the model. */
export type Told = Omit<Arrival, 'mail'> | undefined;

export interface DispatchDeps {
  readonly mailbox: Mailbox;
  readonly arrivals: Arrivals;
  readonly handlers: Handlers<Told>;
  /** Messages that the transcript has already: a crash came between delivery and the mark. */
  readonly delivered: ReadonlySet<string>;
  readonly report: (problem: string, message: Message) => Promise<void>;
  /** Hooks on prose: what they add to it, or that it is not to be read. Absent where there are none. */
  readonly onPrompt?: OnPrompt | undefined;
  /** Whether `onPrompt` is asked about a message at all; about every one when absent. */
  readonly concerns?: ((message: Message) => boolean) | undefined;
}

export type OnPrompt = (message: Message) => Promise<{
  readonly told?: string | undefined;
  readonly blocked?: boolean;
  /** What a skill says that was asked for. */
  readonly skill?: string | undefined;
}>;

/**
 * Takes mail out of an inbox: protocol messages go to their handlers at once, also in the middle of a tool call; prose
 * becomes an arrival and counts as read only when it is in the transcript.
 */
export function createDispatcher({
  mailbox,
  arrivals,
  handlers,
  delivered,
  report,
  onPrompt,
  concerns = () => true,
}: DispatchDeps): () => Promise<void> {
  const seen = new Set<string>();
  // Kept from call to call: what a failing disk did not let us mark is marked with the next mail.
  const done = new Set<string>();
  /** Hooks may take long, and control messages do not wait for them; prose stays in its order. */
  let prompts: Promise<void> = Promise.resolve();
  const heard = async (message: Message, asked: OnPrompt) => {
    const answer: Awaited<ReturnType<OnPrompt>> = await asked(message).catch(() => ({}));
    if (answer.blocked) return mailbox.markRead([message.msg_id]);
    const arrival = prose(message);
    const text = answer.told === undefined ? arrival.text : `${arrival.text}\n<hook>\n${answer.told}\n</hook>`;
    const whole = answer.skill === undefined ? text : `${text}\n${answer.skill}`;
    arrivals.add({ ...arrival, text: whole, mail: [message.msg_id] });
  };
  return async () => {
    const unread = await mailbox.fold();
    for (const message of unread) {
      if (seen.has(message.msg_id)) continue;
      if (delivered.has(message.msg_id)) {
        seen.add(message.msg_id);
        done.add(message.msg_id);
        continue;
      }
      if (onPrompt && message.type === 'message' && prose(message).wakes && concerns(message)) {
        seen.add(message.msg_id);
        prompts = prompts.then(() => heard(message, onPrompt)).catch(() => {});
        continue;
      }
      const arrival = await dispatch(message, handlers, report);
      // A note that starts no turn must not keep a team from being quiet: it counts as read at once.
      const isNote = !arrival?.wakes;
      seen.add(message.msg_id);
      if (isNote) done.add(message.msg_id);
      if (arrival) arrivals.add({ ...arrival, mail: isNote ? [] : [message.msg_id] });
    }
    if (done.size === 0) return;
    const marked = [...done];
    await mailbox.markRead(marked);
    for (const id of marked) done.delete(id);
  };
}

const FROM_ABOVE = [
  'shutdown_request',
  'plan_approval_response',
  'permission_response',
  'task_assignment',
  'mode_set',
  'interrupt',
  'team_permission',
  'member_start',
];

function mayHaveSent({ type, from }: Message): boolean {
  return !FROM_ABOVE.includes(type) || from === LEAD || from === 'user';
}

function prose(message: Message): NonNullable<Told> {
  return {
    text: envelope(message),
    from: message.from === LEAD ? 'lead' : 'other',
    // What the harness remarks is for whoever works, and starts nobody.
    wakes: message.from !== HARNESS,
  };
}

async function dispatch(message: Message, handlers: Handlers<Told>, report: DispatchDeps['report']): Promise<Told> {
  if (message.type === 'message') return prose(message);
  const handled = mayHaveSent(message)
    ? await handleWith(handlers, message)
    : { problem: `a ${message.type} counts from the lead or the user alone` };
  if ('result' in handled) return handled.result;
  await report(handled.problem, message);
  return {
    text: `A protocol message from ${message.from} was not obeyed: ${handled.problem}`,
    from: 'other',
    wakes: false,
  };
}
