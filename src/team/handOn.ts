import type { Mailbox } from '../mailbox/mailbox.js';
import { openTaskList } from '../tasks/taskList.js';
import type { TeamPlace } from './messages.js';
import type { Member } from './teamFile.js';

/**
 * For a member that goes on in a new process, before that reads its inbox: its claims on tasks stay its own, and what
 * asked its earlier process to end asks nothing of this one.
 */
export async function handOn(
  { paths }: Pick<TeamPlace, 'paths'>,
  { name, generation = 1 }: Member,
  mailbox: Mailbox,
): Promise<void> {
  await openTaskList(paths.tasks).keepClaims(name, generation);
  const unread = await mailbox.fold();
  const settled = unread.filter(({ type }) => type === 'shutdown_request').map(({ msg_id }) => msg_id);
  if (settled.length > 0) await mailbox.markRead(settled);
}
