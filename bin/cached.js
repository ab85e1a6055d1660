// Loads a bundle with the code that V8 made of it when it was built, which saves most of the time to compile it.
// A cache of another Node is refused by V8, and the bundle is compiled as ever. Such a bundle must not use import().
const { readFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

function load(file) {
  const script = new Script(
    `(function(exports,require,module,__filename,__dirname){${readFileSync(file, 'utf8')}\n})`,
    {
      filename: file,
      cachedData: cacheOf(file),
    },
  );
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireFrom(file), module, file, dirname(file));
  return { exports: module.exports, script };
}

/** Node's own modules are what is asked for nearly always, and need no place to be looked for from. */
function requireFrom(file) {
  return (name) => (name.startsWith('.') ? require('node:module').createRequire(file)(name) : require(name));
}

function cacheOf(file) {
  try {
    return readFileSync(`${file}.cache`);
  } catch {
    return undefined;
  }
}

module.exports = { load };
