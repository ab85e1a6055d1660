#!/usr/bin/env node
// `--version` and `--help` are answered before anything is imported: scripts ask for them often.
const { readFileSync } = process.getBuiltinModule('node:fs');
const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const [first, ...rest] = process.argv.slice(2);

if (rest.length === 0 && (first === '--version' || first === '-V')) {
  process.stdout.write(`${JSON.parse(read('../package.json')).version}\n`);
} else if (rest.length === 0 && (first === undefined || first === '--help' || first === '-h')) {
  process.stdout.write(read('../dist/help.txt'));
} else {
  const { main } = await import('../dist/main.js');
  await main(process.argv.slice(2));
}
