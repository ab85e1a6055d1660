import { describe, expect, test } from 'vitest';
import { run } from '../../../src/host/run.js';
import { MIN_HEIGHT, MIN_WIDTH } from '../../../src/panes/arrange.js';
import type { Pane } from '../../../src/panes/backend.js';
import { createTmux } from '../../../src/panes/tmux/tmux.js';
import { type OwnServerOptions, ownServer } from '../harness.js';

/** A team's server, and what tmux says of its panes. */
async function stageOf(options?: OwnServerOptions) {
  const stage = await ownServer(options);
  const tmux = createTmux(run, { socketPath: stage.facts.socketPath });
  const windows = async () => {
    const found = new Map<string, Set<string>>();
    for (const row of await tmux(['list-panes', '-a', '-F', '#{window_id} #{pane_id}'])) {
      const [window = '', pane = ''] = row.split(' ');
      found.set(window, new Set([...(found.get(window) ?? []), pane]));
    }
    return [...found.values()];
  };
  return { ...stage, tmux, windows };
}

const withLead = async (options?: OwnServerOptions) => {
  const stage = await stageOf(options);
  const lead = await stage.start('team-lead', { role: 'lead' });
  return { ...stage, lead };
};

const ids = (...panes: Pane[]) => new Set(panes.map(({ paneId }) => paneId));

describe('a pane that is put away', () => {
  test('has a window of its own, where its program goes on, and comes back beside the others', async () => {
    await using stage = await withLead();
    const [alice, bob] = [await stage.start('alice'), await stage.start('bob')];
    const { pid } = await stage.ready('alice');
    const away = await stage.backend.setHidden(alice, 'alice', true);
    expect(away).toMatchObject({ paneId: alice.paneId, ownsPane: true });
    expect(await stage.windows()).toEqual([ids(stage.lead, bob), ids(alice)]);
    expect(away?.windowId).not.toBe(alice.windowId);
    const facts = '#{window_name} #{pane_pid} #{@troupe_hidden} #{pane-border-status} #{@troupe_window}';
    expect(await stage.tmux(['display-message', '-p', '-t', alice.paneId, facts])).toEqual([`alice ${pid} 1 top red`]);

    expect(await stage.backend.setHidden(alice, 'alice', false)).toMatchObject({ windowId: alice.windowId });
    expect(await stage.windows()).toEqual([ids(stage.lead, alice, bob)]);
    expect(await stage.tmux(['display-message', '-p', '-t', alice.paneId, facts])).toEqual([`red ${pid}  top red`]);
  });

  test('takes no focus with it, going or coming', async () => {
    await using stage = await withLead();
    const alice = await stage.start('alice');
    await stage.start('bob');
    const front = () => stage.tmux(['display-message', '-p', '-t', stage.facts.sessionId, '#{window_id} #{pane_id}']);
    const before = await front();
    for (const isHidden of [true, false]) {
      await stage.backend.setHidden(alice, 'alice', isHidden);
      expect(await front()).toEqual(before);
    }
  });

  test('is in nobody’s way: who is started next does not join it, and the others share its room', async () => {
    await using stage = await withLead();
    const alice = await stage.start('alice');
    await stage.backend.setHidden(alice, 'alice', true);
    const others = [await stage.start('bob'), await stage.start('carol')];
    expect(await stage.windows()).toEqual([ids(stage.lead, ...others), ids(alice)]);
    await stage.backend.refresh([]);
    const heights = await Promise.all(
      others.map(({ paneId }) => stage.tmux(['display-message', '-p', '-t', paneId, '#{pane_height}'])),
    );
    expect(
      heights
        .flat()
        .map(Number)
        .every((height) => height >= 2 * MIN_HEIGHT),
    ).toBe(true);
  });

  test('stays away when it is the only one of its window, so that nobody is split into it', async () => {
    await using stage = await withLead({ options: { dedicatedWindow: true } });
    const alice = await stage.start('alice');
    await stage.backend.setHidden(alice, 'alice', true);
    const bob = await stage.start('bob');
    expect(await stage.windows()).toEqual([ids(stage.lead), ids(alice), ids(bob)]);
    await stage.backend.setHidden(alice, 'alice', false);
    expect(await stage.windows()).toEqual([ids(stage.lead), ids(alice, bob)]);
  });

  test('comes back into a window of its own where each member has one, and where there is no room', async () => {
    await using each = await withLead({ options: { layout: 'windows' } });
    const alice = await each.start('alice');
    await each.backend.setHidden(alice, 'alice', true);
    expect(await each.backend.setHidden(alice, 'alice', false)).toMatchObject({ windowId: alice.windowId });

    await using full = await withLead();
    const bob = await full.start('bob');
    await full.backend.setHidden(bob, 'bob', true);
    await full.tmux(['resize-window', '-t', full.lead.windowId ?? '', '-x', String(MIN_WIDTH), '-y', '10']);
    await full.backend.setHidden(bob, 'bob', false);
    expect(await full.windows()).toEqual([ids(full.lead), ids(bob)]);
  });

  test('is put away again where its member is started anew as one that was', async () => {
    await using stage = await withLead();
    const request = { team: 'red', cwd: stage.dir, launchFile: '/none.json', role: 'teammate' } as const;
    const alice = await stage.backend.start({ ...request, member: 'alice', isHidden: true });
    const bob = await stage.backend.start({ ...request, member: 'bob' });
    expect(await stage.windows()).toEqual([ids(stage.lead, bob), ids(alice)]);
    const mark = await stage.tmux(['display-message', '-p', '-t', alice.paneId, '#{@troupe_hidden}']);
    expect(mark).toEqual(['1']);
  });

  test('is ours and that member’s: no other pane is ever moved', async () => {
    await using stage = await withLead();
    const alice = await stage.start('alice');
    const [users = ''] = await stage.tmux(['split-window', '-d', '-P', '-F', '#{pane_id}', '-t', alice.paneId, 'cat']);
    const before = await stage.tmux(['list-windows', '-a', '-F', '#{window_id} #{window_layout}']);
    for (const [pane, member] of [
      [{ paneId: users, ownsPane: true }, 'alice'],
      [{ ...alice, ownsPane: false }, 'alice'],
      [alice, 'bob'],
      [{ ...alice, paneId: '%99' }, 'alice'],
    ] as const)
      expect(await stage.backend.setHidden(pane, member, true)).toBeUndefined();
    expect(await stage.tmux(['list-windows', '-a', '-F', '#{window_id} #{window_layout}'])).toEqual(before);

    await stage.backend.setHidden(alice, 'alice', true);
    expect(await stage.windows()).toEqual([new Set([stage.lead.paneId, users]), ids(alice)]);
    // The window has a pane of the user's by now, so nobody comes into it.
    await stage.backend.setHidden(alice, 'alice', false);
    expect(await stage.windows()).toEqual([new Set([stage.lead.paneId, users]), ids(alice)]);
  });
});
