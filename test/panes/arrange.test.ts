import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Arrangement,
  capacity,
  fits,
  layoutOf,
  MIN_HEIGHT,
  MIN_WIDTH,
  type PlacedPane,
  placeMember,
  teamWindows,
} from '../../src/panes/arrange.js';

const arrangement: Arrangement = {
  team: 'red',
  sessionId: '$0',
  layout: 'panes',
  leadPaneId: '%0',
  dedicatedWindow: false,
};

const pane = (paneId: string, more: Partial<PlacedPane> = {}): PlacedPane => ({
  paneId,
  windowId: '@0',
  sessionId: '$0',
  width: 200,
  height: 50,
  windowWidth: 200,
  windowHeight: 50,
  team: 'red',
  isHidden: false,
  ...more,
});

describe('where the next member goes', () => {
  test('beside a lead that is alone, which keeps two fifths', () => {
    expect(placeMember([pane('%0', { team: '' })], arrangement)).toEqual({
      kind: 'split',
      windowId: '@0',
      target: '%0',
      direction: 'right',
      size: 119,
    });
  });

  test('below the largest member, the last of equals', () => {
    const panes = [
      pane('%0', { width: 80 }),
      pane('%1', { width: 119, height: 24 }),
      pane('%2', { width: 119, height: 25 }),
    ];
    expect(placeMember(panes, arrangement)).toMatchObject({ kind: 'split', target: '%2', direction: 'below' });
  });

  test('into a window of its own when anybody else has a pane beside the lead', () => {
    expect(placeMember([pane('%0'), pane('%1', { team: '' })], arrangement)).toEqual({ kind: 'window' });
    expect(placeMember([pane('%0'), pane('%1', { team: 'blue' })], arrangement)).toEqual({ kind: 'window' });
  });

  test('into a window of its own when that is asked for, or the layout', () => {
    expect(placeMember([pane('%0')], { ...arrangement, dedicatedWindow: true })).toEqual({ kind: 'window' });
    expect(placeMember([pane('%0')], { ...arrangement, layout: 'windows' })).toEqual({ kind: 'window' });
  });

  test('into another window of the team when the first is full', () => {
    const small = { windowWidth: 80, windowHeight: 23, width: 47, height: 11 };
    const full = [pane('%0', small), pane('%1', small), pane('%2', small)];
    expect(placeMember(full, arrangement)).toEqual({ kind: 'window' });
    const next = pane('%3', { windowId: '@1', windowWidth: 80, windowHeight: 23, width: 80, height: 23 });
    expect(placeMember([...full, next], arrangement)).toMatchObject({ kind: 'split', windowId: '@1', target: '%3' });
  });

  test('never into another session', () => {
    expect(placeMember([pane('%0', { sessionId: '$1' })], arrangement)).toEqual({ kind: 'window' });
  });
});

describe('a layout', () => {
  test('is the string that tmux itself prints for it', () => {
    const panes = [pane('%0'), pane('%1'), pane('%2')];
    const [window] = teamWindows(panes, arrangement);
    expect(window && layoutOf(window)).toBe('5b8a,200x50,0,0{80x50,0,0,0,119x50,81,0[119x24,81,0,1,119x25,81,25,2]}');
  });

  test('gives every member its least size and covers the window, whatever its size', () => {
    const size = fc.record({ width: fc.integer({ min: 20, max: 500 }), height: fc.integer({ min: 5, max: 200 }) });
    fc.assert(
      fc.property(size, fc.boolean(), fc.double({ min: 0, max: 1, noNaN: true }), (window, hasLead, share) => {
        const members = Math.floor(capacity(window, hasLead) * share);
        const count = members + (hasLead ? 1 : 0);
        fc.pre(count > 0);
        const paneIds = Array.from({ length: count }, (_, index) => `%${index}`);
        const cells = leaves(layoutOf({ windowId: '@0', paneIds, hasLead, ...window }));
        expect(cells.map(({ id }) => id)).toEqual(paneIds.map((id) => id.slice(1)));
        for (const cell of members === 0 ? [] : cells.slice(hasLead ? 1 : 0)) {
          expect(cell.width).toBeGreaterThanOrEqual(MIN_WIDTH);
          expect(cell.height).toBeGreaterThanOrEqual(MIN_HEIGHT);
        }
        expect(Math.max(...cells.map(({ x, width }) => x + width))).toBe(window.width);
        expect(Math.max(...cells.map(({ y, height }) => y + height))).toBe(window.height);
      }),
    );
  });

  test('stacks the members of a window that has shrunk in columns of their least width, while each has a line', () => {
    const at = { windowId: '@0', hasLead: true, width: 80, height: 23 };
    const window = (members: number) => ({ ...at, paneIds: Array.from({ length: members + 1 }, (_, id) => `%${id}`) });
    const cells = leaves(layoutOf(window(5)));
    expect(cells.map(({ width }) => width)).toEqual([32, 47, 47, 47, 47, 47]);
    expect(cells.slice(1).map(({ height }) => height)).toEqual([3, 4, 4, 4, 4]);
    expect([fits(window(11)), fits(window(12))]).toEqual([true, false]);
  });
});

function leaves(layout: string) {
  return [...layout.matchAll(/(\d+)x(\d+),(\d+),(\d+),(\d+)(?=[,\]}]|$)/g)].map(([, width, height, x, y, id]) => ({
    width: Number(width),
    height: Number(height),
    x: Number(x),
    y: Number(y),
    id,
  }));
}
