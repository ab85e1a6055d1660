// Preloaded into both sides of a memory measurement: says at the end how much the process had at its most, in kB.
const { appendFileSync, readFileSync } = require('node:fs');

const file = process.env.BENCH_PEAK_FILE;
if (file) process.on('exit', () => appendFileSync(file, `${peak()}\n`));

function peak() {
  try {
    // What getrusage says would count the memory of the process that started this one too.
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
