// What is left out of the bundles.
import { basename } from 'node:path';

/** The commands that scripts call often. bin/troupe.js reads them from dist/everyday.txt. */
export const EVERYDAY = 'send status inbox tasks plans approve reject permissions allow deny ls logs'.split(' ');

// gray-matter takes these two at once, for files that name no engine of their own.
const STAND_INS = {
  'js-yaml': 'exports.safeLoad = exports.safeDump = () => { throw new Error("js-yaml is left out."); };',
};

/**
 * What libraries load at once and we never use, and what takes long to load: commander's child_process, for commands that
 * are programs of their own, and the Web Crypto that uuid looks for, where we hand it the randomness;
 * gray-matter's YAML, in whose place it is given another.
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
    leaveOut(/^js-yaml$/, 'gray-matter');
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: STAND_INS[path] ?? 'module.exports = {}',
    }));
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
