import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { archiveWords } from '../../src/app/look/anyTeam.js';
import { costsOf } from '../../src/app/look/costs.js';
import { teamEvents } from '../../src/app/look/events.js';
import { theWorld } from '../../src/app/services.js';
import { systemClock } from '../../src/host/clock.js';
import { archiveTeam, makeTeamFolders } from '../../src/team/archive.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { teamOnDisk } from '../helpers/team.js';

const opus = { input: 100, output: 20, cacheRead: 300, cacheWrite: 100, costUsd: 0.5 };
const haiku = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, costUsd: 0.01, webSearches: 2 };

test('tokens, money and what the cache had are told by member and model, of an archived team too', async () => {
  await using red = await teamOnDisk({ members: ['bob', 'ann', 'new'] });
  // What bob's sub-agents asked of another model is in its record.
  await red.writeRecord('bob', { models: { 'claude-haiku-4-5': haiku, 'claude-opus-5-5': opus } });
  await red.writeRecord('team-lead', { models: { 'claude-opus-5-5': opus } });
  // As versions wrote it that knew of no models.
  const { costUsd, ...tokens } = opus;
  await red.join({ ...red.member('ann'), model: 'claude-sonnet-5' });
  await red.writeRecord('ann', { tokens, costUsd });
  const costs = await costsOf(red, 'red');
  const shown = ({
    costUsd: usd,
    cacheShare,
    tokens: { input },
  }: {
    costUsd: number;
    cacheShare: number | null;
    tokens: { input: number };
  }) => `${input} in, ${cacheShare}, $${usd.toFixed(2)}`;
  expect(
    costs.members.map(({ name, models, ...own }) => [
      name,
      shown(own),
      ...models.map((one) => `${one.model}: ${shown(one)}`),
    ]),
  ).toEqual([
    ['team-lead', '100 in, 0.6, $0.50', 'claude-opus-5-5: 100 in, 0.6, $0.50'],
    ['bob', `110 in, ${300 / 510}, $0.51`, 'claude-opus-5-5: 100 in, 0.6, $0.50', 'claude-haiku-4-5: 10 in, 0, $0.01'],
    ['ann', '100 in, 0.6, $0.50', 'claude-sonnet-5: 100 in, 0.6, $0.50'],
    ['new', '0 in, null, $0.00'],
  ]);
  expect(costs.models.map((one) => `${one.model}: ${shown(one)}`)).toEqual([
    'claude-opus-5-5: 200 in, 0.6, $1.00',
    'claude-sonnet-5: 100 in, 0.6, $0.50',
    'claude-haiku-4-5: 10 in, 0, $0.01',
  ]);
  expect(costs.total).toMatchObject({
    tokens: { input: 310, output: 65, cacheRead: 900, cacheWrite: 300 },
    webSearches: 2,
    cacheShare: 900 / 1510,
  });
  const archive = await archiveTeam(red.home, 'red', systemClock);
  expect(await costsOf(red, 'red')).toEqual({ ...costs, archive });
  await expect(costsOf(red, undefined)).rejects.toThrow('No team is running. The last one in the archive: -t red');
  expect(await archiveWords(red, 'red')).toBeUndefined();
  expect(await costsOf(red, basename(archive))).toEqual({ ...costs, archive });
  await expect(costsOf(red, 'rde')).rejects.toThrow('No team "rde", also not in the archive. Did you mean "red"?');
});

test('of several teams of one name in the archive the newest is looked at, the others by their full names, and all are named', async () => {
  const clock = fakeClock(Date.UTC(2026, 0, 2, 3, 4, 5));
  await using red = await teamOnDisk({ clock });
  const world = { ...theWorld(), home: red.home, clock };
  await red.events.append('first');
  const first = await archiveTeam(red.home, 'red', clock);
  await clock.pass(60_000);
  await makeTeamFolders(red.paths);
  await red.file.create({
    name: 'red',
    createdAt: 1,
    leadAgentId: 'team-lead@red',
    members: [red.member('team-lead')],
  });
  await red.events.append('second');
  const words = async (name: string) => (await teamEvents(world, name, 0)).map(({ type }) => type);
  expect(await words('red')).toEqual(['second']);
  expect(await archiveWords(red, 'red')).toBeUndefined();
  expect(await words('red-2026-01-02T03-04-05Z')).toEqual(['first']);
  const second = await archiveTeam(red.home, 'red', clock);
  expect(await words('RED')).toEqual(['second']);
  expect(await archiveWords(red, 'RED')).toBe(
    `The newest "red" of the archive, ${basename(second)}. Others, by their full name: ${basename(first)}`,
  );
  expect(await archiveWords(red, basename(first))).toBeUndefined();
  expect(await words(basename(first))).toEqual(['first']);
  await expect(words('red-2026-01-02T03-04-06Z')).rejects.toThrow(/Did you mean "red-2026-01-02T03-04-05Z"/);
});
