import { type Message, type PayloadOf, type ProtocolType, parsePayload } from './message.js';

/** What is done with each protocol message. One that a member has no handler for is not meant for it. */
export type Handlers<Result> = {
  readonly [T in ProtocolType]?: (message: Message, payload: PayloadOf<T>) => Promise<Result>;
};

/** Hands a protocol message to its handler. `problem` says why there is none that could take it. */
export async function handleWith<Result>(
  handlers: Handlers<Result>,
  message: Message,
): Promise<{ readonly result: Result } | { readonly problem: string }> {
  const parsed = parsePayload(message);
  if ('problem' in parsed) return parsed;
  const handling = parsed.type === 'message' ? undefined : call(handlers, message, parsed);
  return handling ? { result: await handling } : { problem: `a ${message.type} is not meant for this member` };
}

function call<Result, T extends ProtocolType>(
  handlers: Handlers<Result>,
  message: Message,
  { type, payload }: { type: T; payload: PayloadOf<T> },
): Promise<Result> | undefined {
  const handler: Handlers<Result>[T] = handlers[type];
  return handler?.(message, payload);
}
