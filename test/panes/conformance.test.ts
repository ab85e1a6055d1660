import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { inProcess, iterm2, ownServer, type Stage } from './harness.js';

/** Each backend, with the fake member behind it. The rules below hold for all of them. */
const STAGES: readonly [name: string, open: () => Promise<Stage>][] = [
  ['tmux', ownServer],
  ['iterm2', () => iterm2()],
  ['in-process', inProcess],
];

describe.each(STAGES)('a member on the %s backend', (_, open) => {
  test('is started with its launch file and has not ended while it lives', async () => {
    await using stage = await open();
    const pane = await stage.start('alice');
    expect((await stage.ready('alice')).argv).toEqual(['teammate', '--launch', join(stage.dir, 'alice.json')]);
    expect(await stage.backend.ended(pane)).toBeUndefined();
    expect(pane.ownsPane).toBe(true);
  });

  test('is one of eight that are started at once, each with exactly its own arguments', async () => {
    await using stage = await open();
    const names = Array.from({ length: 8 }, (_, index) => `member-${index}`);
    await Promise.all(names.map((name) => stage.start(name)));
    const argv = await Promise.all(names.map(async (name) => (await stage.ready(name)).argv));
    expect(argv).toEqual(names.map((name) => ['teammate', '--launch', join(stage.dir, `${name}.json`)]));
  });

  test('that dies at once is told with its exit code and its last words', async () => {
    await using stage = await open();
    const pane = await stage.start('alice', { dies: { words: 'boom; no such model', code: 127 } });
    await eventually(async () => {
      expect(await stage.backend.ended(pane)).toEqual({ code: 127, signal: null, lastLines: 'boom; no such model' });
    });
    expect(await stage.backend.capture(pane, 5)).toBe('boom; no such model');
  });

  test('does not fall with another one', async () => {
    await using stage = await open();
    const alice = await stage.start('alice');
    const bob = await stage.start('bob', { dies: { words: 'boom', code: 1 } });
    await stage.ready('alice');
    await eventually(async () => expect(await stage.backend.ended(bob)).toMatchObject({ code: 1 }));
    expect(await stage.backend.ended(alice)).toBeUndefined();
  });

  test('is found by whoever has not started it, while it lives', async () => {
    await using stage = await open();
    const pane = await stage.start('alice');
    await stage.start('bob', { dies: { words: 'boom', code: 1 } });
    await stage.ready('alice');
    expect(await stage.backend.find({ team: 'red', member: 'alice' })).toEqual(pane);
    expect(await stage.backend.find({ team: 'green', member: 'alice' })).toBeUndefined();
    await eventually(async () => expect(await stage.backend.find({ team: 'red', member: 'bob' })).toBeUndefined());
  });

  test('is closed alone, and closing it again does nothing', async () => {
    await using stage = await open();
    const alice = await stage.start('alice');
    const bob = await stage.start('bob');
    await Promise.all([stage.ready('alice'), stage.ready('bob')]);
    await stage.backend.close(alice, { team: 'red', member: 'alice' });
    await stage.backend.close(alice, { team: 'red', member: 'alice' });
    expect(await stage.backend.ended(alice)).toEqual({ code: null, signal: null, lastLines: '' });
    expect(await stage.backend.ended(bob)).toBeUndefined();
  });

  test('is not closed for another member or another team', async () => {
    await using stage = await open();
    const alice = await stage.start('alice');
    await stage.ready('alice');
    await stage.backend.close(alice, { team: 'red', member: 'bob' });
    await stage.backend.close(alice, { team: 'blue', member: 'alice' });
    expect(await stage.backend.ended(alice)).toBeUndefined();
  });

  test('can be started again after it was closed', async () => {
    await using stage = await open();
    const first = await stage.start('alice');
    await stage.ready('alice');
    await stage.backend.close(first, { team: 'red', member: 'alice' });
    const second = await stage.start('alice');
    await eventually(async () => expect(await stage.backend.ended(second)).toBeUndefined());
  });

  test('of another process is unknown and counts as gone', async () => {
    await using stage = await open();
    const stranger = { paneId: '%99', windowId: '@99', ownsPane: true };
    expect(await stage.backend.ended(stranger)).toEqual({ code: null, signal: null, lastLines: '' });
    expect(await stage.backend.capture(stranger, 5)).toBe('');
    await stage.backend.close(stranger, { team: 'red', member: 'alice' });
  });
});
