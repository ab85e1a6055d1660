#!/usr/bin/env node
// `--version` and `--help` are answered before anything is imported, process.stdout included: scripts ask for them often.
const { readFileSync, writeSync } = process.getBuiltinModule('node:fs');
const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const [first, ...rest] = process.argv.slice(2);

if (rest.length === 0 && (first === '--version' || first === '-V')) {
  print(`${JSON.parse(read('../package.json')).version}\n`);
} else if (rest.length === 0 && (first === undefined || first === '--help' || first === '-h')) {
  print(read('../dist/help.txt'));
} else {
  const isEveryday = read('../dist/everyday.txt').split('\n').includes(first);
  const { main } = await import(isEveryday ? '../dist/everyday.js' : '../dist/main.js');
  await main(process.argv.slice(2));
}

function print(text) {
  try {
    writeSync(1, text);
  } catch (error) {
    if (error.code === 'EPIPE') process.exitCode = 141;
    else process.stdout.write(text);
  }
}
