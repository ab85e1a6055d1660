import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLines } from '../../src/store/jsonLines.js';
import { mailFolders } from './mailboxes.js';

/** What may happen to an inbox, in any order. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('deliver' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('append foreign' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), share: fc.nat(3) }) },
  // The reader dies: what it folded lies in `new/` again, or it had the message and not marked it.
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die before unlinking' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('die before marking' as const) }) },
);

test('whatever happens in whatever order, each message reaches the transcript once and none is lost', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await using mail = await mailFolders();
      const sent: string[] = [];
      const transcript: string[] = [];
      let reader = mail.open('alice');

      const read = async (share: number, marks: boolean) => {
        const unread = await reader.fold();
        const some = share === 0 ? unread : unread.slice(0, Math.ceil(unread.length / share));
        for (const { msg_id, text } of some) if (!transcript.includes(text)) transcript.push(text || msg_id);
        if (marks) await reader.markRead(some.map(({ msg_id }) => msg_id));
      };

      for (const [n, what] of steps.entries()) {
        if (what.do === 'deliver') {
          await mail.open('alice').deliver({ from: 'bob', text: `m${n}` });
          sent.push(`m${n}`);
        } else if (what.do === 'append foreign') {
          const array: unknown[] = JSON.parse(await readFile(mail.array('alice'), 'utf8').catch(() => '[]'));
          await writeFile(mail.array('alice'), JSON.stringify([...array, { from: 'other', text: `m${n}` }]));
          sent.push(`m${n}`);
        } else if (what.do === 'read') {
          await read(what.share, true);
        } else if (what.do === 'die before marking') {
          await read(0, false);
          reader = mail.open('alice');
        } else {
          const files = (await reader.peek()).filter(({ read: isRead }) => !isRead);
          await read(1, true);
          for (const file of files)
            await writeFile(join(reader.delivered, `${file.msg_id}.json`), JSON.stringify(file)).catch(() => {});
          reader = mail.open('alice');
        }
      }
      await read(0, true);

      expect([...transcript].sort()).toEqual([...sent].sort());
      expect(await reader.waiting()).toBe(0);
      const kept = (await reader.peek()).map(({ text }) => text);
      const logged = (await readLines(join(mail.team.inboxes, 'alice.log.jsonl'))).records.length;
      expect(kept.length + logged).toBe(sent.length);
    }),
    { numRuns: 60 },
  );
});
