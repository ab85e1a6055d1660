// What is left out of the bundles.
import { basename } from 'node:path';

/** The commands that scripts call often. bin/troupe.js reads them from dist/everyday.txt. */
export const EVERYDAY = 'send status inbox tasks plans approve reject permissions allow deny ls logs'.split(' ');

/**
 * What libraries load at once and we never use, and what takes long to load: commander's child_process, for commands that
 * are programs of their own, and the Web Crypto that uuid looks for, where we hand it the randomness.
 */
export const unused = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    const leaveOut = (filter, library) =>
      onResolve({ filter }, ({ path, importer }) =>
        importer.includes(`/${library}/`) ? { path, namespace: 'unused' } : undefined,
      );
    leaveOut(/^node:child_process$/, 'commander');
    leaveOut(/^\.\/native\.js$/, 'uuid');
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }));
  },
};

/** Leaves the other commands out of the table. */
export const everydayOnly = {
  name: 'everyday-only',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/(commands\/)?\w+\.js$/ }, ({ kind, importer, path }) =>
      kind === 'dynamic-import' &&
      (path.startsWith('./commands/') || path === './runFailure.js' || importer.endsWith('/commands/index.ts')) &&
      !EVERYDAY.includes(basename(path, '.js'))
        ? { path: 'left-out', namespace: 'left-out' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'export {}' }));
  },
};
