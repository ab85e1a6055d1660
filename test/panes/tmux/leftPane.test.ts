import { expect, test } from 'vitest';
import { endMarked, markEnvironment, markedProcesses } from '../../../src/host/children.js';
import { systemClock } from '../../../src/host/clock.js';
import { type Run, run } from '../../../src/host/run.js';
import { listPanes } from '../../../src/panes/tmux/commands.js';
import { createTmux } from '../../../src/panes/tmux/tmux.js';
import { eventually } from '../../helpers/eventually.js';
import { ownServer, stageOn } from '../harness.js';

test.each(['panes', 'windows'] as const)(
  'a pane whose maker died before anything runs in it is found by the member’s mark and ended with it (%s)',
  async (layout) => {
    let isDead = false;
    // As one that is killed right behind the call that makes the pane: nothing is said to tmux any more.
    const dying: Run = async (file, args, options) => {
      if (isDead) throw new Error('killed');
      isDead = args.some((word) => word === 'split-window' || word === 'new-window');
      return run(file, args, options);
    };
    await using stage = await ownServer({ options: { run: dying, layout } });
    const mark = { member: 'bob@red:1', home: stage.dir };
    const request = { team: 'red', member: 'bob', cwd: stage.dir, launchFile: '/nowhere', role: 'teammate' } as const;
    await expect(stage.backend.start({ ...request, mark: markEnvironment(mark) })).rejects.toThrow('killed');

    const tmux = createTmux(run, { socketPath: stage.facts.socketPath });
    expect(await tmux(listPanes)).toHaveLength(2);
    const any = { ...mark, member: 'bob@red' };
    await eventually(async () => expect(await markedProcesses(any)).toHaveLength(1));
    await endMarked(any, systemClock);
    await eventually(async () => expect(await tmux(listPanes)).toHaveLength(1));
  },
);

test('what runs in the pane afterwards has nothing of that', async () => {
  await using stage = await ownServer();
  const mark = markEnvironment({ member: 'bob@red:1', home: stage.dir });
  const backend = {
    ...stage.backend,
    start: (request: Parameters<typeof stage.backend.start>[0]) => stage.backend.start({ ...request, mark }),
  };

  const marked = stageOn(backend, stage.dir, async () => {});
  await marked.start('bob');
  const { environment } = await marked.ready('bob');
  expect(Object.keys(environment).filter((name) => name.startsWith('TROUPE_'))).toEqual([]);
});
