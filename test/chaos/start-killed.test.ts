import { test } from 'vitest';
import { expectNextStart, STEPS } from '../helpers/killedStart.js';

test.each(STEPS)('a start that is killed when $at is not in the way of the next one, nor of the end', expectNextStart);
