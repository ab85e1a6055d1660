import type { TranscriptPort } from '../../agent/ports.js';
import type { MessageParam } from '../../model/types.js';
import { COMPACT_BOUNDARY, INHERITED } from '../../transcript/entry.js';
import type { Transcript } from '../../transcript/transcript.js';

/** A transcript as the loop writes it. It begins with what was `inherited`, so that it can be gone on from alone. */
export function transcriptPort(
  transcript: Pick<Transcript, 'append'>,
  inherited: readonly MessageParam[] = [],
): TranscriptPort {
  // The loop goes on writing to what it was given.
  const beginning = [...inherited];
  let hasBegun = beginning.length === 0;
  const begin = async () => {
    if (hasBegun) return;
    hasBegun = true;
    await transcript.append({ type: 'system', subtype: INHERITED, message: beginning });
  };
  return {
    async append(type, message, mail = []) {
      await begin();
      const entry = { type, message, ...(mail.length > 0 && { msg_ids: [...mail] }) };
      // A call that is begun, and mail that is marked as read, must be known after a power cut; results may be lost with it.
      await transcript.append(entry, { goesOn: type === 'user' && mail.length === 0 });
    },
    async restart(history, compactMetadata) {
      hasBegun = true;
      await transcript.append({ type: 'system', subtype: COMPACT_BOUNDARY, compactMetadata, message: history });
    },
  };
}
