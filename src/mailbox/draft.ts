import { writeAtomic } from '../store/atomicFile.js';
import { head, wellFormed } from '../util/text.js';
import type { Message, MessageType } from './message.js';

/** Bytes of prose that an inbox carries itself. */
const LARGE_BODY = 100 * 1024;
const SHOWN_OF_LARGE_BODY = 1000;

/** What a sender says; the rest of a message is the harness's. */
export interface Draft {
  readonly from: string;
  readonly text: string;
  readonly type?: MessageType | undefined;
  readonly color?: string | undefined;
  readonly summary?: string | undefined;
  readonly request_id?: string | undefined;
  readonly in_reply_to?: string | undefined;
  readonly to?: string | undefined;
  readonly reply_to?: string | undefined;
  /** Sending the same id again delivers nothing new. */
  readonly msg_id?: string | undefined;
}

export function messageOfDraft(
  { from, text, type = 'message', color, summary, request_id, in_reply_to, to, reply_to }: Draft,
  msg_id: string,
  timestamp: string,
): Message {
  return {
    msg_id,
    msgV: 1,
    from: wellFormed(from),
    text: wellFormed(text),
    timestamp,
    read: false,
    type,
    ...(color !== undefined && { color }),
    ...(summary !== undefined && { summary: wellFormed(summary) }),
    ...(request_id !== undefined && { request_id }),
    ...(in_reply_to !== undefined && { in_reply_to }),
    ...(to !== undefined && { to }),
    ...(reply_to !== undefined && { reply_to }),
  };
}

/** The text as the inbox carries it; a large one goes to the file at `bodyPath`. Only prose is cut: half of a protocol message's JSON would be none. */
export async function boundedText({ type, text }: Message, bodyPath: string): Promise<string> {
  const bytes = Buffer.byteLength(text);
  if (type !== 'message' || bytes <= LARGE_BODY) return text;
  await writeAtomic(bodyPath, text);
  return `${head(text, SHOWN_OF_LARGE_BODY)}\n\n[The first ${SHOWN_OF_LARGE_BODY} characters of ${bytes} bytes. The whole message: ${bodyPath}]`;
}
