import { type Message, parsePayload } from '../../mailbox/message.js';
import { clip, type StoryMessage } from './story.js';

const MAX_MESSAGE = 1500;

/** A message that lay in the inbox of `to`; nothing where its time is none. */
export function mailOf(message: Message, to: string): StoryMessage | undefined {
  const at = Date.parse(message.timestamp);
  if (Number.isNaN(at)) return undefined;
  return {
    at,
    from: message.from,
    to: [to],
    toAll: message.to === '*',
    type: message.type,
    summary: message.summary,
    ...saidIn(message),
  };
}

/** The same message in several inboxes is one to several. */
export function withRecipient(message: StoryMessage, to: string): StoryMessage {
  return { ...message, to: [...message.to, to] };
}

function saidIn(message: Message): Pick<StoryMessage, 'kind' | 'text'> {
  if (message.type === 'message') return { kind: 'message', text: clip(message.text, MAX_MESSAGE) };
  const parsed = parsePayload(message);
  if ('problem' in parsed) return { kind: 'notice', text: clip(parsed.problem, MAX_MESSAGE) };
  if (parsed.type === 'idle_notification') {
    const { idleReason, result, failureReason } = parsed.payload;
    if (result !== undefined && result !== '') return { kind: 'report', text: clip(result, MAX_MESSAGE) };
    return { kind: 'notice', text: clip(failureReason ?? idleReason, MAX_MESSAGE) };
  }
  return { kind: 'notice', text: clip(noticeWords(parsed), MAX_MESSAGE) };
}

type Notice = Exclude<ReturnType<typeof parsePayload>, { readonly problem: string }>;

function noticeWords({ type, payload }: Notice): string {
  switch (type) {
    case 'shutdown_request':
      return payload.reason ?? (payload.force ? 'at once' : 'please end');
    case 'shutdown_response':
      return `${payload.approve ? 'ends' : 'goes on'}${payload.reason === undefined ? '' : `: ${payload.reason}`}`;
    case 'plan_approval_response':
      return `${payload.approve ? 'approved' : 'rejected'}${payload.feedback === undefined ? '' : `: ${payload.feedback}`}`;
    case 'permission_request':
      return payload.description ?? payload.tool;
    case 'permission_response':
      return `${payload.behavior === 'allow' ? 'allowed' : 'denied'}${payload.message === undefined ? '' : `: ${payload.message}`}`;
    case 'teammate_exited':
      return `${payload.name} has ended`;
    case 'task_assignment':
      return `task ${payload.task_id}: ${payload.subject}`;
    case 'mode_set':
      return payload.mode;
    case 'team_permission':
      return String('rule' in payload ? payload.rule : payload.path);
    case 'plan_approval_request':
      return 'a plan waits for a decision';
    default:
      return '';
  }
}
