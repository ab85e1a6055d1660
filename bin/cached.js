// Loads bundles with the code that V8 made of them when they were built, which saves most of the time to compile them.
// A cache of another Node is refused by V8, and the bundle is compiled as ever. Such a bundle must not use import().
const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

/** A bundle ends in the hash of itself, and its cache begins with it: V8 compares no more than their lengths. */
const HASH_BYTES = 64;
/** File → what it exports, and its script. */
const loaded = new Map();

function load(file) {
  const known = loaded.get(file);
  if (known) return known.module.exports;
  const source = readFileSync(file, 'latin1');
  const script = new Script(source, { filename: file, cachedData: codeFor(file, source.slice(-HASH_BYTES)) });
  const module = { exports: {} };
  loaded.set(file, { module, script });
  const folder = dirname(file);
  // Node's own modules, or a bundle beside this one.
  const requireHere = (name) => (name.startsWith('./') ? load(join(folder, name)) : require(name));
  script.runInThisContext()(module.exports, requireHere, module, file, folder);
  return module.exports;
}

function codeFor(file, hash) {
  try {
    const cache = readFileSync(`${file}.cache`);
    return cache.latin1Slice(0, HASH_BYTES) === hash ? cache.subarray(HASH_BYTES) : undefined;
  } catch {
    return undefined;
  }
}

/** Whoever builds keeps a bundle's hash and the code that V8 has by now of a script in `<file>.cache`. */
const loadedScripts = () => new Map([...loaded].map(([file, { script }]) => [file, script]));

module.exports = { load, loadedScripts };
