import { expect, test } from 'vitest';
import { transcriptPort } from '../../src/app/session/transcriptPort.js';
import type { NewEntry, Transcript } from '../../src/transcript/transcript.js';

test('what is begun and mail that will be marked as read are waited for on disk; results alone are not', async () => {
  const waits: boolean[] = [];
  const transcript: Pick<Transcript, 'append'> = {
    async append({ type, message }: NewEntry, { goesOn } = { goesOn: false }) {
      waits.push(!goesOn);
      return { type, message, uuid: 'u', parentUuid: null, sessionId: 's', isSidechain: false, timestamp: '' };
    },
  };
  const port = transcriptPort(transcript, [{ role: 'user', content: 'before' }]);
  await port.append('user', { role: 'user', content: 'results' });
  await port.append('assistant', { role: 'assistant', content: 'a call' });
  await port.append('user', { role: 'user', content: 'results and mail' }, ['m1']);
  await port.restart([], { trigger: 'auto', preTokens: 1 });
  expect(waits).toEqual([true, false, true, true, true]);
});
