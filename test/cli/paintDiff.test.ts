import { expect, test } from 'vitest';
import { paintDiff } from '../../src/cli/paintDiff.js';

const DIFF = `# alice: 1 commit
diff --git a/x b/x
index 1..2 100644
--- a/x
+++ b/x
@@ -1,3 +1,2 @@ function
 @@ -1 +1 @@
--- a line
---
+++ a line
\\ No newline at end of file
@@ -9 +8 @@
-a
+b
# alice: not committed
`;

test('a diff is coloured as git does it, and a line of a file by its sign, whatever it looks like', () => {
  const names: Record<string, string> = { 1: 'bold', 31: 'red', 32: 'green', 36: 'cyan' };
  const styles = paintDiff(DIFF)
    .split('\n')
    .map((line) => names[/^\x1b\[(\d+)m/.exec(line)?.[1] ?? ''] ?? '');
  expect(styles).toEqual([
    ...['bold', 'bold', 'bold', 'bold', 'bold'],
    ...['cyan', '', 'red', 'red', 'green', ''],
    ...['cyan', 'red', 'green', 'bold', ''],
  ]);
  expect(paintDiff(DIFF).replace(/\x1b\[\d+m/g, '')).toBe(DIFF);
});
