import { test } from 'vitest';
import { expectCrowdInProcess, expectCrowdInTmux, PATIENT } from '../helpers/crowd.js';

test(
  'forty members in tmux each have a pane of a readable size and a turn of their own, hear what is said to all, and leave nothing',
  { timeout: 2 * PATIENT },
  () => expectCrowdInTmux(40),
);

test(
  'a hundred members in one process each have a turn, and the run ends with the report of each',
  { timeout: 2 * PATIENT },
  () => expectCrowdInProcess(100),
);
