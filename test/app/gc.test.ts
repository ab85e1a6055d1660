import { expect, test } from 'vitest';
import { collectGarbage } from '../../src/app/end/gc.js';
import { theWorld } from '../../src/app/services.js';
import { homeAt } from '../../src/config/paths.js';
import { isAlive } from '../../src/host/processes.js';
import { eventually } from '../helpers/eventually.js';
import { ownServer } from '../panes/harness.js';

test('a tmux server whose team’s folder is gone is found by its own word and ended, once no member runs in it', async () => {
  await using red = await ownServer({ team: 'ré.d' });
  const { serverPid: pid, serverStart: procStart } = red.facts;
  const gc = async (dryRun: boolean, home = red.dir) => {
    const world = { ...theWorld(), home: homeAt(home), environment: () => red.environment };
    return (await collectGarbage(world, { dryRun })).filter(({ what }) => what === 'server');
  };
  const server = { what: 'server', name: 'tmux of ré.d' };
  expect(await gc(false, `${red.dir}/another`)).toEqual([]);

  const alice = await red.start('alice');
  await red.ready('alice');
  const alive = { ...server, done: 'kept', why: 'alice still lives, and leaves by itself soon' };
  expect(await gc(false)).toEqual([alive]);
  await red.backend.close(alice, { team: 'ré.d', member: 'alice' });

  const dead = { ...server, done: 'ended', why: 'the folder of its team is gone' };
  await eventually(async () => expect(await gc(true)).toEqual([dead]));
  expect(await isAlive({ pid, procStart })).toBe(true);
  expect(await gc(false)).toEqual([dead]);
  expect(await isAlive({ pid, procStart })).toBe(false);
  expect(await gc(false)).toEqual([]);
});
