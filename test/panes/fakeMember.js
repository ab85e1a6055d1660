// A member's process for tests: does what its launch file says, as the real one reads its own.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

const launch = JSON.parse(readFileSync(process.argv[4], 'utf8'));
if (launch.dies) {
  console.error(launch.dies.words);
  // tmux 3.3 loses what a program says in the moment of its death, when the machine is busy.
  await new Promise((resolve) => setTimeout(resolve, 500));
  if (launch.dies.signal) process.kill(process.pid, launch.dies.signal);
  process.exitCode = launch.dies.code;
} else {
  const facts = { argv: process.argv.slice(2), cwd: process.cwd(), pid: process.pid, environment: process.env };
  writeFileSync(`${launch.ready}.new`, JSON.stringify(facts));
  renameSync(`${launch.ready}.new`, launch.ready);
  console.log(`ready ${launch.name}`);
  process.on('SIGHUP', () => process.exit(0));
  setInterval(() => {}, 1000);
}
