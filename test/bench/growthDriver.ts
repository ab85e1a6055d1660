// What must not cost more with the years: a look into an inbox, a send, a line of a transcript. Each beside the same where
// there is nothing yet, by turns, in one process, in the folder that it is given. Prints a ratio for each.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { type Mailbox, openMailbox } from '../../src/mailbox/mailbox.js';
import { openTranscript } from '../../src/transcript/transcript.js';

const [, , root = '.', described = ''] = process.argv;
const { rounds, history, sent, megabytes } = JSON.parse(described);
const world = { clock: systemClock, ids: systemIds };
const LOOKS = 2000;
const WRITES = 50;

/** An inbox whose array has so many read messages, as a program that keeps all of them leaves it. */
function inboxWith(messages: number): Mailbox {
  const team = { inboxes: join(root, `inboxes-${messages}`), files: join(root, 'files') };
  for (const folder of [team.inboxes, join(team.inboxes, 'alice.d', 'tmp'), join(team.inboxes, 'alice.d', 'new')])
    mkdirSync(folder, { recursive: true });
  const one = (index: number) => ({
    msg_id: systemIds.timeUuid(),
    msgV: 1,
    from: 'bob',
    text: `Message ${index} of many, as long as they are.`,
    timestamp: new Date().toISOString(),
    read: true,
    type: 'message',
  });
  writeFileSync(join(team.inboxes, 'alice.json'), JSON.stringify(Array.from({ length: messages }, (_, n) => one(n))));
  return openMailbox({ team, member: 'alice', ...world });
}

function transcriptWith(megabytesOf: number) {
  const path = join(root, `transcript-${megabytesOf}.jsonl`);
  writeFileSync(path, '');
  const line = `${JSON.stringify({ uuid: systemIds.uuid(), parentUuid: null, sessionId: 's', isSidechain: false, type: 'user', timestamp: '', message: { role: 'user', content: 'x'.repeat(10_000) } })}\n`;
  for (let written = 0; written < megabytesOf; written++) appendFileSync(path, line.repeat(100));
  return openTranscript(path, { sessionId: 's', ...world });
}

/** What the processor had to do: how long a disk takes to make sure of a write says nothing of how much was written before. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Both by turns, so that whatever else the machine does meets both; the middle of the ratios. */
async function ratioOf(old: () => Promise<unknown>, fresh: () => Promise<unknown>): Promise<number> {
  for (const warmUp of [old, fresh, old, fresh]) await warmUp();
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = round % 2 === 0 ? undefined : await costOf(fresh);
    const cost = await costOf(old);
    ratios.push(cost / (before ?? (await costOf(fresh))));
  }
  return ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN;
}

const times = (count: number, work: () => Promise<unknown>) => async () => {
  for (let index = 0; index < count; index++) await work();
};

const [oldInbox, newInbox] = [inboxWith(history), inboxWith(0)];
// The first look of its owner takes it over, and leaves what is bounded.
for (const inbox of [oldInbox, newInbox]) await inbox.fold();
const poll = await ratioOf(
  times(LOOKS, () => oldInbox.hasNews()),
  times(LOOKS, () => newInbox.hasNews()),
);

const [fullInbox, emptyInbox] = [inboxWith(sent), inboxWith(1)];
const message = () => ({ from: 'bob', text: 'The fix is on its branch.' });
const send = await ratioOf(
  times(WRITES, () => fullInbox.deliver(message())),
  times(WRITES, () => emptyInbox.deliver(message())),
);

const [longTranscript, newTranscript] = [transcriptWith(megabytes), transcriptWith(0)];
const entry = { type: 'assistant' as const, message: { role: 'assistant', content: 'Done with it.' } };
const append = await ratioOf(
  times(WRITES, () => longTranscript.append(entry)),
  times(WRITES, () => newTranscript.append(entry)),
);
for (const transcript of [longTranscript, newTranscript]) await transcript.close();

process.stdout.write(JSON.stringify({ poll, send, append }));
