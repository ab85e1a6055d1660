#!/usr/bin/env node
// CommonJS on purpose (bin/package.json): starting Node's loader for ES modules takes a third of a bare node's start.
// `--version` and `--help` are answered before anything else is loaded, process.stdout included: scripts ask for them often.
const { readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');
const dist = join(__dirname, '..', 'dist');
const [first, ...rest] = process.argv.slice(2);

if (rest.length === 0 && (first === '--version' || first === '-V')) {
  print(`${JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')).version}\n`);
} else if (rest.length === 0 && (first === undefined || first === '--help' || first === '-h')) {
  print(readFileSync(join(dist, 'help.txt'), 'utf8'));
} else {
  const isEveryday = readFileSync(join(dist, 'everyday.txt'), 'utf8').split('\n').includes(first);
  // Generated parsers pay for long lives; a short command is done before (https://zod.dev/api, jitless).
  if (isEveryday) globalThis.__zod_globalConfig = { jitless: true };
  require('./cached.js')
    .load(join(dist, isEveryday ? 'everyday.cjs' : 'program.cjs'))
    .main(process.argv.slice(2));
}

function print(text) {
  try {
    writeSync(1, text);
  } catch (error) {
    if (error.code === 'EPIPE') process.exitCode = 141;
    else process.stdout.write(text);
  }
}
